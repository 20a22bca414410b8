#include "host/boot/likeness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "host/error.hpp"
#include "host/program/expression.hpp"

namespace bhemu::host {
namespace {

constexpr u64 kMostElements = 1 << 20;  // of the tensors that are tried
// Of results that are worked out anew from other operands: a product of matrices of this size takes
// some milliseconds, one of kMostElements some seconds.
constexpr u64 kMostWorkedOut = 1 << 16;

Layout other_than(Layout layout) {
  return layout == Layout::Tile ? Layout::RowMajor : Layout::Tile;
}

void names_in(const ExpressionNode& node, std::set<std::string>& names) {
  if (node.kind == ExpressionNode::Kind::Name) names.insert(node.name);
  for (const ExpressionNode& child : node.children) names_in(child, names);
}

/// The same bytes, read in the other layout. Nothing: it has no such layout, or padding.
std::optional<Tensor> in_other_layout(const PreparedTensor& tensor, const std::vector<u8>& pages) {
  Tensor read = make_tensor(tensor.initial.dtype, tensor.initial.shape);
  const Layout layout = other_than(tensor.spec->layout);
  try {
    const PageGrid grid = page_grid(read, layout);
    if (grid.pages * grid.page_size != pages.size()) return std::nullopt;
    from_pages(read, layout, grid, pages);
  } catch (const InputError&) {
    return std::nullopt;
  }
  return read;
}

/// More than one value: anything is like a constant.
bool varies(const Tensor& tensor) {
  for (u64 i = 1; i < tensor.elements(); ++i)
    if (tensor.bits_at(i) != tensor.bits_at(0)) return true;
  return false;
}

std::string described(const PreparedTensor& tensor) {
  return fmt::format("tensor {} lay in memory {} (layout: {}; it says {})", tensor.spec->name,
                     tensor.spec->layout == Layout::Tile ? "row by row" : "as tiles",
                     name_of(other_than(tensor.spec->layout)), name_of(tensor.spec->layout));
}

class Trial {
 public:
  Trial(const std::vector<PreparedTensor>& tensors, const PreparedTensor& wrong,
        const Tensor& expected, const std::vector<u8>& pages)
      : tensors_(tensors), wrong_(wrong), expected_(expected), pages_(pages) {
    if (const auto* expression = std::get_if<ExpressionNode>(&wrong.spec->expect->source))
      names_in(*expression, names_);
    actual_ = make_tensor(wrong.initial.dtype, wrong.initial.shape);
    from_pages(actual_, wrong.spec->layout, wrong.placement.grid, pages);
  }

  Likeness try_all(unsigned banks) const {
    if (!varies(expected_)) return {};
    Likeness found = own_layout();
    for (const PreparedTensor& tensor : tensors_) {
      if (!names_.contains(tensor.spec->name)) continue;
      const Likeness operand = layout_of(tensor);
      if (operand.sentence.empty()) continue;
      // Of kernels that only copy, either would do.
      found.remedy += (found.remedy.empty() ? "" : "; or ") + operand.remedy;
      found.sentence += operand.sentence;
      break;
    }
    if (!found.sentence.empty()) return found;
    if (found = exchanged(); !found.sentence.empty()) return found;
    if (found = turned(); !found.sentence.empty()) return found;
    return other_pages(banks);
  }

 private:
  bool equals(const Tensor& actual, const Tensor& expected) const {
    return compare_tensors(actual, expected, wrong_.spec->tolerance).passed;
  }

  /// The expectation with other operands; nothing where it makes no sense for them.
  std::optional<Tensor> expected_of(const std::map<std::string, const Tensor*>& instead) const {
    const auto* expression = std::get_if<ExpressionNode>(&wrong_.spec->expect->source);
    if (expression == nullptr || expected_.elements() > kMostWorkedOut) return std::nullopt;
    Tensor result = make_tensor(expected_.dtype, expected_.shape);
    try {
      evaluate_tensor(
          *expression,
          [&](const std::string& name) -> const Tensor* {
            if (const auto found = instead.find(name); found != instead.end()) return found->second;
            for (const PreparedTensor& tensor : tensors_)
              if (tensor.spec->name == name) return &tensor.initial;
            return nullptr;
          },
          wrong_.spec->expect->rounding, result);
    } catch (const ExpressionError&) {
      return std::nullopt;
    }
    return result;
  }

  Likeness own_layout() const {
    const auto read = in_other_layout(wrong_, pages_);
    if (!read || !equals(*read, expected_)) return {};
    const bool tiles = wrong_.spec->layout == Layout::RowMajor;
    return {fmt::format(" All of it is right if {}: what the kernels have written are {}.",
                        described(wrong_), tiles ? "tiles" : "rows of the matrix"),
            fmt::format("give tensor {} layout: {}, or let the kernels {} it", wrong_.spec->name,
                        name_of(other_than(wrong_.spec->layout)), tiles ? "untilize" : "tilize")};
  }

  Likeness layout_of(const PreparedTensor& tensor) const {
    if (tensor.initial.elements() > kMostElements || !varies(tensor.initial)) return {};
    const auto read = in_other_layout(
        tensor, to_pages(tensor.initial, tensor.spec->layout, tensor.placement.grid));
    if (!read) return {};
    const auto result = expected_of({{tensor.spec->name, &*read}});
    if (!result || !equals(actual_, *result)) return {};
    const bool tiles = tensor.spec->layout == Layout::RowMajor;
    return {
        fmt::format(" All of it is what comes out if {}: the kernels take its pages for {}.",
                    described(tensor), tiles ? "tiles" : "rows of the matrix"),
        fmt::format("give tensor {} layout: {}, or let the kernels {} it first", tensor.spec->name,
                    name_of(other_than(tensor.spec->layout)), tiles ? "tilize" : "untilize")};
  }

  Likeness exchanged() const {
    for (const PreparedTensor& one : tensors_)
      for (const PreparedTensor& other : tensors_) {
        const bool both = names_.contains(one.spec->name) && names_.contains(other.spec->name);
        if (!both || &one >= &other || one.initial.shape != other.initial.shape) continue;
        const auto result =
            expected_of({{one.spec->name, &other.initial}, {other.spec->name, &one.initial}});
        if (!result || !equals(actual_, *result)) continue;
        return {fmt::format(" All of it is what comes out if {0} and {1} are exchanged: the "
                            "kernels take {0} where {1} belongs, and {1} where {0} does.",
                            one.spec->name, other.spec->name),
                fmt::format("exchange them: compare the order of the arguments, of the circular "
                            "buffers and of SrcA and SrcB (tensors {} and {})",
                            one.spec->name, other.spec->name)};
      }
    return {};
  }

  Likeness turned() const {
    if (expected_.shape.size() != 2 || expected_.shape[0] != expected_.shape[1]) return {};
    Tensor result = make_tensor(expected_.dtype, expected_.shape);
    const u64 side = expected_.shape[0];
    for (u64 row = 0; row < side; ++row)
      for (u64 column = 0; column < side; ++column)
        result.set_bits(row * side + column, expected_.bits_at(column * side + row));
    if (!equals(actual_, result)) return {};
    return {" It is the transpose of what is expected, all of it.",
            "leave the transposition out, or add the one that is missing"};
  }

  /// Every page that is wrong holds what belongs into another one.
  Likeness other_pages(unsigned banks) const {
    const u32 bytes = wrong_.placement.grid.page_size;
    const std::vector<u8> right = to_pages(expected_, wrong_.spec->layout, wrong_.placement.grid);
    const auto page = [bytes](const std::vector<u8>& of, u64 i) {
      return std::string_view(reinterpret_cast<const char*>(of.data()) + i * bytes, bytes);
    };
    std::map<std::string_view, u64> known;
    const u64 pages = wrong_.placement.grid.pages;
    for (u64 i = 0; i < pages; ++i)
      if (!known.emplace(page(right, i), i).second) return {};
    std::vector<std::pair<u64, u64>> moved;  // which holds what
    for (u64 i = 0; i < pages; ++i) {
      const auto found = known.find(page(pages_, i));
      if (found == known.end()) return {};
      if (found->second != i) moved.emplace_back(i, found->second);
    }
    constexpr std::size_t kShown = 4;
    std::string text;
    for (std::size_t i = 0; i < std::min(moved.size(), kShown); ++i)
      text += fmt::format("{} page {} {}", i == 0 ? "" : ",", moved[i].first,
                          i == 0 ? fmt::format("holds what belongs into page {}", moved[i].second)
                                 : fmt::format("what belongs into {}", moved[i].second));
    if (moved.size() > kShown) text += fmt::format(" and so on ({} pages)", moved.size());
    Likeness found{fmt::format(" Its pages are right, but not in their places:{}.", text),
                   "compare the numbers of the pages that are read and written, and the places of "
                   "tiles in Dst and in circular buffers"};
    tell_of_banks(moved, banks, found);
    return found;
  }

  /// Page p lies in bank p % banks, in row p / banks.
  void tell_of_banks(const std::vector<std::pair<u64, u64>>& moved, unsigned banks,
                     Likeness& found) const {
    for (const unsigned believed : {7u, 8u}) {
      if (believed == banks) continue;
      const bool all = std::all_of(moved.begin(), moved.end(), [&](const auto& one) {
        return one.second == one.first / believed * banks + one.first % banks;
      });
      if (!all) continue;
      found.sentence += fmt::format(
          " That is so if page p is looked for in row p / {} of its bank, as on a board of {} "
          "DRAM banks; this one has {}.",
          believed, believed, banks);
      found.remedy = fmt::format(
          "take the number of banks from the board (dram.banks in arguments; {} here), for the "
          "bank and for the row in it",
          banks);
      return;
    }
  }

  const std::vector<PreparedTensor>& tensors_;
  const PreparedTensor& wrong_;
  const Tensor& expected_;
  const std::vector<u8>& pages_;
  std::set<std::string> names_;
  Tensor actual_;
};

}  // namespace

Likeness likeness_of(const std::vector<PreparedTensor>& tensors, const PreparedTensor& wrong,
                     const Tensor& expected, const std::vector<u8>& pages, unsigned dram_banks) {
  if (expected.elements() > kMostElements) return {};
  return Trial(tensors, wrong, expected, pages).try_all(dram_banks);
}

}  // namespace bhemu::host
