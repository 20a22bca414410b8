// Finds that a core repeats itself, so that a polling loop of a million rounds is three lines in a
// trace. An instruction is left out when the last p instructions were the same as the p before
// them (pc, word, values, addresses; one in each cycle) and it goes on like that: two rounds are
// always written. This depends on nothing but the instructions, so a core that the scheduler has
// parked, whose rounds nobody executes, gives the same trace as one that runs.
#pragma once

#include <array>
#include <optional>

#include "trace/event.hpp"

namespace bhemu::trace {

class Repeats {
 public:
  /// Longer loops are written in full. Not less than the longest loop that is ever parked.
  static constexpr unsigned kLongest = 96;

  struct Verdict {
    bool left_out = false;
    std::optional<Repeated> ended;  // to be written before the instruction
  };
  Verdict next(const Retired& retired, Cycle cycle);
  /// Whatever repetition there is ends here.
  std::optional<Repeated> end();

  /// A loop of `period` instructions, no more than kLongest, that has gone on until now and will
  /// go on, will be left out; so `skip` may be told of whole rounds instead of `next`.
  bool is_settled(Cycle period) const {
    return period_ != 0 && left_out_ >= kLongest + period && period <= kLongest;
  }
  void skip(u64 instructions) {
    left_out_ += instructions;
    last_ += instructions;
  }
  /// The cycle after the last instruction.
  Cycle now() const { return last_ + 1; }

 private:
  void forget();

  std::array<u64, kLongest> recent_{};    // hashes, the last instruction first
  std::array<u8, kLongest + 1> equal_{};  // by p: for how long each was as the one p before it
  unsigned known_ = 0;
  Cycle last_ = kNever - 1;
  unsigned period_ = 0;  // 0: nothing is left out at present
  u64 left_out_ = 0;
  Cycle first_ = 0;
};

}  // namespace bhemu::trace
