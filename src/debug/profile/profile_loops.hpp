// What a core waits for that goes round a loop without changing anything.
#pragma once

#include <span>

#include "debug/profile/profile.hpp"

namespace bhemu::debug {

/// An instruction of the loop.
struct LoopStep {
  static constexpr u32 kNone = ~u32{0};
  u32 pc = 0;
  u32 loaded = kNone;  // the address that it reads
  bool stores = false;
  u32 value = 0;  // that it got
};

struct LoopWait {
  bool waits = false;          // it stores nothing
  WaitAt at;                   // the pc is that of the load that matters, or of the loop
  bool both_counters = false;  // of a circular buffer: for pages, or for room
  u32 filled = 0;              // pages in it, by those counters
};
/// `steps`: of one round, in any order.
LoopWait wait_of_loop(std::span<const LoopStep> steps, const Profile& profile);

}  // namespace bhemu::debug
