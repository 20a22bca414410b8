#include "noc/identity.hpp"

#include "noc/registers.hpp"

namespace bhemu::noc {
namespace {

constexpr u32 kNiuBytes = 0x10000;
constexpr u64 kNiuBase[kNocs] = {0xFFB20000, 0xFFB30000};
// Where tt-umd and tt-exalens find the NIU of tiles that show only one; MemoryMap.md names
// 0xFFB20000 and 0xFFB30000 for them, which is the same place in the tile's last 16 MiB.
constexpr u64 kOnlyBase = 0xFF000000;
constexpr u64 kUpper = 0xFFFFFFFF00000000;
// Registers of DRAM tiles lie behind the memory, too: tt-exalens, dram_block.py (0x100FFB20000).
constexpr u64 kDramRegisters = 0x10000000000;

}  // namespace

u32 node_id(unsigned noc, Coord noc0) {
  const u32 x = noc == 0 ? noc0.x : Routing::kWidth - 1 - noc0.x;
  const u32 y = noc == 0 ? noc0.y : Routing::kHeight - 1 - noc0.y;
  return x | y << 6 | Routing::kWidth << 12 | Routing::kHeight << 19 | (noc == 0 ? 1u << 28 : 0);
}

bool read_identity(const Routing& routing, unsigned noc, Coord noc0, Coord translated, u32 offset,
                   u32& value) {
  const RegisterInfo* row = niu_register_at(offset);
  if (row == nullptr) return false;
  const Translation& translation = routing.translation(noc);
  const u32 index = (offset - row->offset) / 4;
  switch (row->offset) {
    case niu::NOC_NODE_ID:
      value = node_id(noc, noc0);
      return true;
    case niu::NIU_CFG_0:
      value = routing.has_translation() ? 1u << 14 : 0;
      return true;
    case niu::ROUTER_CFG_1:
      value = translation.broadcast_columns;
      return true;
    case niu::ROUTER_CFG_3:
      value = translation.broadcast_rows;
      return true;
    case niu::NOC_X_ID_TRANSLATE_TABLE:
      value = translation.x_table[index];
      return true;
    case niu::NOC_Y_ID_TRANSLATE_TABLE:
      value = translation.y_table[index];
      return true;
    case niu::NOC_ID_LOGICAL: {
      // tt-umd soc_descriptor.cpp: a harvested Ethernet tile, which has no translated name, keeps
      // its NoC 0 coordinate for one.
      const Coord name = translated.x < Routing::kSpan ? translated : noc0;
      value = name.x | u32{name.y} << 6;
      return true;
    }
    case niu::NOC_ID_TRANSLATE_COL_MASK:
      value = translation.column_mask;
      return true;
    case niu::NOC_ID_TRANSLATE_ROW_MASK:
      value = translation.row_mask;
      return true;
    default:
      return false;
  }
}

std::optional<NiuPlace> niu_place(NodeKind kind, unsigned carrier, u64 address) {
  const bool both =
      kind == NodeKind::Tensix || kind == NodeKind::Dram || kind == NodeKind::Ethernet;
  const bool wide = !both && kind != NodeKind::Router;
  const u64 upper = address & kUpper;
  const bool behind_memory = kind == NodeKind::Dram && upper == kDramRegisters;
  if (upper != (wide ? kUpper : 0) && !behind_memory) return std::nullopt;
  const u64 low = address & ~kUpper;
  for (unsigned noc = 0; noc < kNocs; ++noc)
    if (low >= kNiuBase[noc] && low - kNiuBase[noc] < kNiuBytes)
      return NiuPlace{both ? noc : carrier, static_cast<u32>(low - kNiuBase[noc])};
  if (!both && low >= kOnlyBase && low - kOnlyBase < kNiuBytes)
    return NiuPlace{carrier, static_cast<u32>(low - kOnlyBase)};
  return std::nullopt;
}

}  // namespace bhemu::noc
