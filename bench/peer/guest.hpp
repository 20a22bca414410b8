// The guest programs that bhemu and another simulator run side by side: loops on the TRISCs of one
// tile, as kernels have them (replay buffers, MOPs, semaphores between unpacker, matrix unit and
// packer). The host asks for turns of the loop; the guest counts in L1 those that are complete.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/types.hpp"

namespace bhemu::peer {

inline constexpr u32 kTileX = 1;
inline constexpr u32 kTileY = 2;
inline constexpr u32 kSoftReset = 0xFFB121B0;

inline constexpr u32 kWanted = 0x1F000;  // turns that the host asks for, since the start
inline constexpr u32 kCount = 0x1F010;   // turns that are complete
inline constexpr u32 kOut = 0x28000;     // the tile that is packed
inline constexpr u32 kTileBytes = 2048;

struct GuestProgram {
  std::string name;
  std::string unit;       // what `per_turn` counts
  double per_turn = 0;    // work in one turn of the loop
  u32 batch = 0;          // turns to ask for at a time
  u32 reset = 0;          // SOFT_RESET_0 while it runs
  bool has_tile = false;  // leaves a tile at kOut, which both sides must agree on
  std::vector<std::pair<u32, std::vector<u32>>> image;  // what the host writes into L1
};

std::vector<GuestProgram> guest_programs();

}  // namespace bhemu::peer
