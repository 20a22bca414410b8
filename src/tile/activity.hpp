// What a tile counts of itself for the livelock check (device/livelock.hpp).
#pragma once

#include <array>

#include "base/types.hpp"

namespace bhemu::tile {

/// What a tile has done that others, or the host, could ever notice; for the livelock check.
struct Activity {
  std::array<u64, kCores> reads{};  // NoC read requests sent, by the core that issued them
  u64 effects = 0;                  // packets sent that are not reads or their answers
  // Reads of what changes with time alone (wall clock, CSRs of cycles, instructions, performance
  // counters): the program may be timing something out.
  u64 clock_reads = 0;
  NodeId read_target = kNoNode;  // of the last read
  u64 read_address = 0;
};

}  // namespace bhemu::tile
