#include "eth/registers.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/check.hpp"

namespace bhemu::eth {
namespace {

constexpr u32 kBase = 0xFFB00000;

constexpr BlockInfo kBlockRows[] = {
#define BLOCK(name, first, copies, stride, words, meaning) \
  {#name, kBase + first, copies, stride, words, meaning},
#define ETH_REG(...)
#include "eth/registers.def"
#undef ETH_REG
#undef BLOCK
};

constexpr RegisterInfo kRows[] = {
#define BLOCK(...)
#define ETH_REG(block, name, offset, count, access, kind, reset, meaning) \
  {Block::block, #name, offset, count, Access::access, Kind::kind, reset, meaning},
#include "eth/registers.def"
#undef ETH_REG
#undef BLOCK
};
constexpr std::size_t kRowCount = std::size(kRows);

constexpr bool well_formed() {
  for (unsigned block = 0; block < kBlocks; ++block)
    if (kBlockRows[block].copies != copies_of(static_cast<Block>(block))) return false;
  for (std::size_t i = 0; i < kRowCount; ++i) {
    const BlockInfo& block = kBlockRows[static_cast<unsigned>(kRows[i].block)];
    if (kRows[i].offset / 4 + kRows[i].count > block.words) return false;
    if (i == 0 || kRows[i].block != kRows[i - 1].block) continue;
    if (kRows[i].offset < kRows[i - 1].offset + 4 * kRows[i - 1].count) return false;
  }
  return true;
}
static_assert(well_formed(), "rows of a block ascend and lie within it");

struct Layout {
  std::array<u32, kRowCount> slot{};           // of a register, in copy 0
  std::array<u32, kBlocks> words{};            // stored words of a copy
  std::array<std::size_t, kBlocks + 1> row{};  // first row of a block
};
constexpr Layout make_layout() {
  Layout layout;
  u32 next = 0;
  std::size_t row = 0;
  for (unsigned block = 0; block < kBlocks; ++block) {
    layout.row[block] = row;
    const u32 first = next;
    for (; row < kRowCount && kRows[row].block == static_cast<Block>(block); ++row) {
      layout.slot[row] = next;
      next += kRows[row].count;
    }
    layout.words[block] = next - first;
    next = first + layout.words[block] * kBlockRows[block].copies;
  }
  layout.row[kBlocks] = row;
  return layout;
}
constexpr Layout kLayout = make_layout();
static_assert(kLayout.row[kBlocks] == kRowCount, "rows are in the order of their blocks");

constexpr std::array<u32, kSlots> make_reset_words() {
  std::array<u32, kSlots> words{};
  for (std::size_t row = 0; row < kRowCount; ++row) {
    const auto block = static_cast<unsigned>(kRows[row].block);
    for (u32 copy = 0; copy < kBlockRows[block].copies; ++copy)
      for (u32 i = 0; i < kRows[row].count; ++i)
        words[kLayout.slot[row] + copy * kLayout.words[block] + i] = kRows[row].reset;
  }
  return words;
}
constexpr std::array<u32, kSlots> kResetWords = make_reset_words();

std::optional<Place> place_in(unsigned block, u32 copy, u32 offset) {
  const RegisterInfo* const begin = kRows + kLayout.row[block];
  const RegisterInfo* const end = kRows + kLayout.row[block + 1];
  const RegisterInfo* row =
      std::upper_bound(begin, end, offset,
                       [](u32 wanted, const RegisterInfo& info) { return wanted < info.offset; });
  if (row == begin || offset % 4 != 0) return std::nullopt;
  --row;
  const u32 index = (offset - row->offset) / 4;
  if (index >= row->count) return std::nullopt;
  const u32 slot = kLayout.slot[row - kRows] + copy * kLayout.words[block] + index;
  return Place{row, copy, index, slot};
}

}  // namespace

std::span<const BlockInfo> blocks() {
  return kBlockRows;
}
std::span<const RegisterInfo> registers() {
  return kRows;
}
std::span<const u32> reset_words() {
  return kResetWords;
}
const BlockInfo& info_of(Block block) {
  return kBlockRows[static_cast<unsigned>(block)];
}

std::optional<Place> place_of(u32 address) {
  for (unsigned block = 0; block < kBlocks; ++block) {
    const BlockInfo& info = kBlockRows[block];
    const u32 offset = address - info.first;
    const u32 stride = info.copies > 1 ? info.stride : 4 * info.words;
    if (offset < info.copies * stride) return place_in(block, offset / stride, offset % stride);
  }
  return std::nullopt;
}

u32 slot_of(Block block, u32 copy, u32 offset) {
  const auto place = place_in(static_cast<unsigned>(block), copy, offset);
  CHECK(place.has_value());
  return place->slot;
}

}  // namespace bhemu::eth
