// How something spends its time, in as many equal stretches as a picture has room for. The length
// of a stretch doubles whenever there would be more of them.
#pragma once

#include <array>
#include <vector>

#include "base/types.hpp"

namespace bhemu::debug {

/// How a core or a thread spends a cycle.
enum class Spent : u8 {
  Idle,        // in reset, asleep in firmware, nothing queued
  Busy,        // executes an instruction (of a core: of its kernel)
  Firmware,    // executes firmware
  WaitBuffer,  // for pages or room in a circular buffer
  WaitNoc,     // for answers of the NoC
  WaitSync,    // for a semaphore, a mutex, a mailbox, a word of L1
  WaitThread,  // a core: for its thread; a thread: for a unit
  WaitSource,  // for SrcA or SrcB
  WaitOther,
};
inline constexpr unsigned kSpents = 9;
constexpr bool is_wait(Spent spent) {
  return spent >= Spent::WaitBuffer;
}

class Timeline {
 public:
  static constexpr std::size_t kMost = 256;

  explicit Timeline(Cycle begin = 0) : begin_(begin) {}
  /// Cycles [from, to), not before the timeline's begin, go to `spent`; those of `was`, which they
  /// were told as before, are taken back unless it is Idle.
  void add(Cycle from, Cycle to, Spent spent, Spent was = Spent::Idle);

  using Stretch = std::array<u32, kSpents>;  // cycles
  const std::vector<Stretch>& stretches() const { return stretches_; }
  Cycle width() const { return width_; }
  /// Makes the stretches at least that long; `width` is one that another timeline has.
  void widen(Cycle width);

 private:
  void fold();

  Cycle begin_;
  Cycle width_ = 16;
  std::vector<Stretch> stretches_;
};

}  // namespace bhemu::debug
