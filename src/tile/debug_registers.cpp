#include "tile/debug_registers.hpp"

#include <iterator>

#include "base/check.hpp"
#include "mem/mapping.hpp"

namespace bhemu::tile {
namespace {

constexpr DebugRegisterInfo kRows[] = {
#define REG(name, offset, tiles, access, kind, reset, meaning) \
  {#name, offset, Tiles::tiles, Access::access, RegisterKind::kind, reset, meaning},
#include "tile/debug.def"
#undef REG
};

using Index = std::array<u8, DebugRegisters::kBytes / 4>;

constexpr Index index_rows() {
  Index index{};
  for (std::size_t i = 0; i < std::size(kRows); ++i)
    index[kRows[i].offset / 4] = static_cast<u8>(i + 1);
  return index;
}
constexpr Index kIndex = index_rows();

}  // namespace

const DebugRegisterInfo* debug_register_at(u32 offset, noc::NodeKind tile) {
  if (offset >= DebugRegisters::kBytes || offset % 4 != 0) return nullptr;
  const u8 row = kIndex[offset / 4];
  if (row == 0) return nullptr;
  const DebugRegisterInfo& info = kRows[row - 1];
  return tile == noc::NodeKind::Tensix || info.tiles == Tiles::Both ? &info : nullptr;
}

Rule refusal_of(u32 offset) {
  using namespace debug_reg;
  CHECK(offset == WDT_CNTL);
  return Rule::TileWatchdog;
}

void DebugRegisters::reset() {
  words_.fill(0);
  for (const DebugRegisterInfo& row : kRows) words_[row.offset / 4] = row.reset;
}

u64 DebugRegisters::hash(u64 seed) const {
  return hash_bytes(seed, words_.data(), sizeof words_);
}

}  // namespace bhemu::tile
