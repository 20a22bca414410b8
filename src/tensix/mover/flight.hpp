// Commands of the mover that are under way, in the order in which they were given.
#pragma once

#include <array>

#include "base/author.hpp"
#include "tensix/piece_clock.hpp"

namespace bhemu::tensix {

/// Addresses and sizes in bytes.
struct MoverFlight {
  u32 destination = 0;
  u32 source = 0;
  u32 size = 0;
  u32 done = 0;
  u8 mode = 0;  // MoverMode
  Author author;
  Pieces pieces;
};

/// xmov-and-tdma-mover: the command queue has four places.
struct MoverQueue {
  static constexpr u32 kCapacity = 4;
  u32 count = 0;
  std::array<MoverFlight, kCapacity> flight{};
};

}  // namespace bhemu::tensix
