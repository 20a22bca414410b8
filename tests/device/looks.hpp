// What a host that looks in again and again sees of one core and its tile.
#pragma once

#include <vector>

#include "device/device.hpp"
#include "tile/tile.hpp"

namespace bhemu::test {

struct Look {
  u64 hash, instructions;
  u32 pc;
  bool operator==(const Look&) const = default;
};

/// `count` looks, one after each epoch of 256 cycles.
inline std::vector<Look> looks_at(Device& device, Coord at, CoreId core, u32 count) {
  std::vector<Look> looks;
  for (u32 i = 0; i < count; ++i) {
    device.run(256);
    const u64 instructions = device.totals().riscv_instructions;
    const tile::Tile& tile = device.tile(at);
    looks.push_back({tile.hash(0), instructions, tile.core(core).pc});
  }
  return looks;
}

}  // namespace bhemu::test
