// Loops whose rounds can be told without executing them: in each, every register grows by what it
// grew by in the round before. A core that waits for the wall clock to come to a value is in such a
// loop, and so is one that counts.
#pragma once

#include <array>
#include <optional>

#include "riscv/core.hpp"

namespace bhemu::riscv {

/// What such a loop reads. Nothing here has an effect on the machine.
class RoundView {
 public:
  enum class Clock : u8 { None, Low, High, LatchedHigh };

  virtual ~RoundView() = default;
  /// The instruction at `pc`. False: there is none.
  virtual bool fetch(u32 pc, u32& word) = 0;
  /// `size` bytes (1, 2 or 4, aligned) at `address`, which stay what they are until somebody else
  /// changes them, of which the core would hear. False: not known.
  virtual bool load(u32 address, u32 size, u32& value) = 0;
  /// Which half of the clock a load of the word at `address` reads. LatchedHigh: the upper half as
  /// it was when the lower one was last read.
  virtual Clock clock_at(u32 address) = 0;
};

struct Rounds {
  Cycle period = 0;  // cycles, and instructions, of one round
  /// So many rounds from the core's state on are alike; kNever: no end is known.
  u64 count = 0;
  std::array<u32, 33> step{};  // by how much each register grows in a round, modulo 2^32
};

/// The rounds of the loop that a core in `state` is in, one of which begins at its pc. Nothing,
/// when a round is longer than `longest` instructions, stores anything, or does with what grows
/// anything but add, subtract, shift it to the left, and compare it.
std::optional<Rounds> find_rounds(const CoreState& state, RoundView& view, Cycle longest);

}  // namespace bhemu::riscv
