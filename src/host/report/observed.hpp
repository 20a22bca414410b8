// What an observer of a run knows beyond the state in which it ends, for the report of a hang. A
// run that nobody has looked at has none; one that has failed is repeated with one (watch/).
#pragma once

#include <optional>

#include "base/types.hpp"

namespace bhemu::host {

/// How a thread has asked for room with SEMWAIT since it has posted a semaphore last.
struct UnpostedWaits {
  u32 count = 0;
  u32 last_pc = 0;  // of the core that has pushed the last of them
};

/// The last instruction that gave a bank of SrcA or SrcB to the side that has it.
struct HandOver {
  bool known = false;  // else: nobody has given it away since it was looked at
  unsigned thread = 0;
  u32 word = 0;
  Cycle cycle = 0;
  std::optional<u32> pushed_from;  // of the thread's core
};

class Observed {
 public:
  Observed() = default;
  virtual ~Observed() = default;
  Observed(const Observed&) = delete;
  Observed& operator=(const Observed&) = delete;

  /// From where the thread's core has pushed what is at the thread's gate.
  virtual std::optional<u32> pushed_from(NodeId node, unsigned thread) const = 0;
  virtual UnpostedWaits unposted_waits(NodeId node, unsigned thread, u32 semaphore) const = 0;
  /// `src`: 0 SrcA, 1 SrcB.
  virtual HandOver hand_over(NodeId node, unsigned src, unsigned bank) const = 0;
};

}  // namespace bhemu::host
