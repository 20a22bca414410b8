#include "watch/unwritten.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace bhemu::watch {
namespace {

constexpr u64 kMostPages = 8192;  // of a tensor, that are looked through

bool by_kernel(const Actor& actor) {
  return actor.kind == Actor::Kind::Core || actor.kind == Actor::Kind::Thread ||
         (actor.kind == Actor::Kind::Noc && is_core(actor.issuer));
}

/// What kernels have written of a page.
std::vector<Written> written_of(const WritersOfDevice& writers,
                                const host::PreparedProgram& program,
                                const host::PreparedTensor& tensor, u64 page) {
  const u32 bytes = tensor.placement.grid.page_size;
  const host::Spot spot =
      host::spot_of(writers.device().board(), tensor.placement, program.tiles(), page * bytes);
  std::vector<Written> found;
  Writers* of = writers.of(spot.node);
  if (of == nullptr) return found;
  for (Written& part : of->last({Area::Memory, spot.address, spot.address + bytes}))
    if (by_kernel(part.writer)) found.push_back(std::move(part));
  return found;
}

/// Of one tensor: the pages that kernels have written, and the last write to one of them that is
/// before `page`, or else the first behind it.
struct Pages {
  std::vector<u64> pages;
  std::optional<Written> nearest;
  u64 nearest_page = 0;
};
Pages pages_of(const WritersOfDevice& writers, const host::PreparedProgram& program,
               const host::PreparedTensor& tensor, u64 page) {
  Pages found;
  const u64 end = std::min(tensor.placement.grid.pages, kMostPages);
  for (u64 i = 0; i < end; ++i) {
    const std::vector<Written> parts = written_of(writers, program, tensor, i);
    if (parts.empty()) continue;
    found.pages.push_back(i);
    if (i <= page || !found.nearest) {
      found.nearest = parts.back();
      found.nearest_page = i;
    }
  }
  return found;
}

}  // namespace

std::string list_of(const std::vector<u64>& pages) {
  if (pages.size() > 1 && pages.back() - pages.front() + 1 == pages.size())
    return fmt::format("{} to {}", pages.front(), pages.back());
  constexpr std::size_t kShown = 4;
  const std::size_t shown = std::min(pages.size(), kShown);
  return fmt::format("{}{}", fmt::join(pages.begin(), pages.begin() + shown, ", "),
                     pages.size() > shown ? fmt::format(" and {} more", pages.size() - shown) : "");
}

std::optional<TensorPage> page_at(const Board& board, const host::PreparedProgram& program,
                                  NodeId node, u64 address) {
  const unsigned banks = board.dram_banks();
  for (unsigned bank = 0; bank < banks; ++bank) {
    if (board.dram_node(bank) != node) continue;
    for (const host::PreparedTensor& tensor : program.tensors()) {
      const host::Placement& at = tensor.placement;
      if (at.memory != host::TensorMemory::DramInterleaved || at.stride == 0 ||
          address < at.address)
        continue;
      const u64 offset = address - at.address;
      const u64 page = offset / at.stride * banks + bank;
      if (page < at.grid.pages) return TensorPage{&tensor, page, offset % at.stride};
    }
  }
  return std::nullopt;
}

std::string pages_without_buffer(const host::PreparedProgram& program) {
  const auto& buffers = program.program().circular_buffers;
  if (buffers.empty()) return "";
  for (const host::PreparedTensor& tensor : program.tensors()) {
    const u32 bytes = tensor.placement.grid.page_size;
    const bool fits = std::any_of(buffers.begin(), buffers.end(),
                                  [&](const auto& buffer) { return buffer.page_size == bytes; });
    if (tensor.spec->layout == host::Layout::Tile && !fits)
      return fmt::format(
          " Tensor {} has pages of {} bytes, as no circular buffer of the program has.",
          tensor.spec->name, bytes);
  }
  return "";
}

std::optional<Instead> written_instead(const WritersOfDevice& writers,
                                       const host::PreparedProgram& program, const host::Spot& spot,
                                       const std::function<std::string(const Actor&)>& author) {
  const std::optional<TensorPage> wrong =
      page_at(writers.device().board(), program, spot.node, spot.address);
  if (!wrong) return std::nullopt;
  const Pages own = pages_of(writers, program, *wrong->tensor, wrong->page);
  if (own.nearest) {
    const Written& part = *own.nearest;
    if (own.nearest_page == wrong->page) {
      const u64 begin = spot.address - wrong->within;
      return Instead{
          fmt::format("of this page ({}) bytes {} to {} were written by {}", wrong->page,
                      part.place.begin - begin, part.place.end - begin - 1, author(part.writer)),
          part.writer};
    }
    return Instead{
        fmt::format("it is in page {}; of the {} pages {} were written ({}), page {} by {}",
                    wrong->page, wrong->tensor->placement.grid.pages, own.pages.size(),
                    list_of(own.pages), own.nearest_page, author(part.writer)),
        part.writer};
  }
  for (const host::PreparedTensor& other : program.tensors()) {
    if (&other == wrong->tensor) continue;
    const Pages pages = pages_of(writers, program, other, 0);
    if (!pages.nearest) continue;
    return Instead{fmt::format("nor any other page of it; what was written instead is tensor {}, "
                               "by {}",
                               other.spec->name, author(pages.nearest->writer)),
                   pages.nearest->writer, true};
  }
  return std::nullopt;
}

}  // namespace bhemu::watch
