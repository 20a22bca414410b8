#include "watch/cells.hpp"

#include <algorithm>
#include <utility>

#include "noc/node.hpp"
#include "tensix/state.hpp"
#include "tile/tile.hpp"

namespace bhemu::watch {
namespace {

static_assert(kRowUnits == tensix::kRowDatums && kLaneUnits == numeric::kLanes);

constexpr u64 kMostBytes = 1 << 16;  // compared at every access

std::vector<u32> memory_of(Device& device, NodeId node, const Place& place) {
  const u64 bytes = std::min(place.size(), kMostBytes);
  std::vector<u8> data(bytes);
  if (tile::Tile* tile = device.tile_of(node)) {
    if (!tile->l1().has(static_cast<u32>(place.begin), static_cast<u32>(bytes))) return {};
    tile->l1().read(static_cast<u32>(place.begin), data.data(), static_cast<u32>(bytes));
  } else if (device.node(node).kind() != noc::NodeKind::Dram ||
             !device.node(node).host_read(place.begin, data, 0)) {
    return {};
  }
  return {data.begin(), data.end()};
}

/// Words of which the place has bits.
template <class Word>
std::vector<u32> words_of(const Place& place, Word word) {
  std::vector<u32> cells;
  for (u64 at = place.begin / 32; at * 32 < place.end; ++at) {
    const u64 low = std::max(place.begin, at * 32) - at * 32;
    const u64 high = std::min(place.end, at * 32 + 32) - at * 32;
    const u64 mask = ((u64{1} << (high - low)) - 1) << low;
    cells.push_back(static_cast<u32>((word(static_cast<u32>(at)) & mask) >> low));
  }
  return cells;
}

template <class Unit>
std::vector<u32> units_of(const Place& place, Unit unit) {
  std::vector<u32> cells;
  for (u64 at = place.begin; at < place.end; ++at) cells.push_back(unit(at));
  return cells;
}

std::vector<u32> registers_of(const tensix::State& state, const Place& place) {
  using namespace tensix;
  switch (place.area) {
    case Area::Dst:
      return units_of(place, [&](u64 unit) {
        const u64 cell = dst_cell_of(unit);
        return u32{state.fpu.dst.row[cell / kRowUnits].datum[cell % kRowUnits]};
      });
    case Area::SrcA:
    case Area::SrcB: {
      const SrcFile& file = place.area == Area::SrcA ? state.fpu.src_a : state.fpu.src_b;
      return units_of(place, [&](u64 unit) {
        const u64 row = unit / kRowUnits;
        return file.bank[row / kSrcRows][row % kSrcRows].datum[unit % kRowUnits];
      });
    }
    case Area::LReg:
      return units_of(place, [&](u64 unit) {
        return state.sfpu.lreg[unit / kLaneUnits].lane[unit % kLaneUnits];
      });
    case Area::Gpr:
      return words_of(place, [&](u32 at) { return state.thcon.gpr[at / kGprs][at % kGprs]; });
    case Area::Config:
      return words_of(place,
                      [&](u32 at) { return state.cfg.bank[at / kConfigWords][at % kConfigWords]; });
    case Area::ThreadConfig:
      return words_of(place, [&](u32 at) {
        return u32{state.cfg.thread[at / kThreadConfigWords][at % kThreadConfigWords]};
      });
    default:
      return {};
  }
}

}  // namespace

std::vector<u32> cells_of(Device& device, NodeId node, const Place& place) {
  if (place.area == Area::Memory) return memory_of(device, node, place);
  tile::Tile* tile = device.tile_of(node);
  if (tile == nullptr) return {};
  if (place.area == Area::Ldm) {
    const auto core = static_cast<CoreId>(place.begin / kLdmStride);
    const auto& ldm = tile->core(core).ldm;
    const u64 first = place.begin % kLdmStride;
    if (first + place.size() > ldm.size()) return {};
    return {ldm.begin() + static_cast<std::ptrdiff_t>(first),
            ldm.begin() + static_cast<std::ptrdiff_t>(first + place.size())};
  }
  if (!tile->shape().is_tensix()) return {};
  return registers_of(std::as_const(*tile).coprocessor().state(), place);
}

}  // namespace bhemu::watch
