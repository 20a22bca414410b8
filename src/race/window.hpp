// The window checker: instructions of one thread that need others between them (windows.def). It
// counts the instructions that are certain to lie between, never cycles, so bubbles that happened
// to be there hide nothing.
//
// Not seen: what a sub-unit of the vector unit does in the slots that SFPLOADMACRO has scheduled,
// beyond rows 26 and 31.
#pragma once

#include <deque>
#include <vector>

#include "race/finding.hpp"

namespace bhemu::race {

/// An instruction as it leaves the gate. What words do not say, whoever knows fills in: rows of Dst
/// and configuration fields, and what a macro will do.
struct Instruction {
  Site site;  // pc is the word
  std::vector<Location> reads;
  std::vector<Location> writes;
  u8 in_bundle = 0;              // place in a fused bundle of .ttinsn, from 1; 0: alone
  bool gathering = false;        // the core may fuse what it pushes (cfg0.DisTriscCache clear)
  bool macro_by_cycles = false;  // SFPLOADMACRO: a slot is counted in cycles, not in instructions
  std::vector<Location> macro_stores;  // rows that its store slot will write
  u32 pushed_at = 0;                   // as Side::pushed_at
};

class WindowChecker {
 public:
  explicit WindowChecker(u16 tile = 0) : tile_(tile) {}
  void issue(Instruction one);
  /// A REPLAY, where it is met in front of the gate.
  void recorded(const Instruction& one);
  const std::vector<Finding>& findings() const { return findings_; }

 private:
  static constexpr unsigned kReach = 8;  // as far as the longest window, and a macro's slots

  bool drained(std::size_t first, const Instruction& second, u32 conditions) const;
  void judge(std::size_t first, const Instruction& second);

  u16 tile_;
  std::deque<Instruction> recent_;
  std::vector<Finding> findings_;
};

}  // namespace bhemu::race
