// Where polling loops come round. A core that was parked once will most likely wait in the same
// loop again: when it passes the same instruction twice, a look at the next round is worth while at
// once. The addresses are a tile's own, so that when its cores park depends on nothing but what
// they did.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "riscv/core.hpp"

namespace bhemu::riscv {

/// Where the loop begins in which there is an instruction at `pc`, by the next branch or jump back
/// over it; `pc` itself if there is none near by. (Most cores are found somewhere in a loop, and
/// tiles are to find the same head.)
u32 top_of_loop(u32 pc, const u8* l1, u32 l1_bytes);

class LoopHeads {
 public:
  /// As long as the words of its line are what they were.
  bool has(u32 pc, const u8* l1) const {
    return std::any_of(heads_.begin(), heads_.end(),
                       [&](const Head& head) { return head.pc == pc && head.stands_in(l1); });
  }
  bool has_any_in(u32 address, u32 bytes, const u8* l1) const {
    return std::any_of(heads_.begin(), heads_.end(), [&](const Head& head) {
      return head.pc - address < bytes && head.stands_in(l1);
    });
  }
  /// A bit for each word of the line at `address` that is one.
  u16 in_line(u32 address, const u8* l1) const;
  bool empty() const { return heads_.empty(); }

  /// A core was parked that had come back to `pc` after `period` cycles. The lines in which
  /// something has changed by that: that of `pc`, and that of the head which makes room; the same
  /// one twice if none does.
  using Lines = std::array<u32, 2>;
  Lines add(u32 pc, Cycle period, const u8* l1);
  /// A look at the round that begins there was of use, or in vain. True: it was in vain so often
  /// that the head is none any more.
  bool looked(u32 pc, bool in_vain);
  /// How many cycles the round took; 0: it is none any more.
  Cycle round_from(u32 pc) const {
    for (const Head& head : heads_)
      if (head.pc == pc) return head.period;
    return 0;
  }
  void clear() { heads_.clear(); }

 private:
  // Chosen, not measured: firmware's cores wait in seven loops of a launch.
  static constexpr std::size_t kMost = 24;
  static constexpr unsigned kMostInVain = 4;

  struct Head {
    u32 pc;
    u32 in_vain;  // looks, one after the other
    Cycle period;
    std::array<u8, kLineBytes> words;
    bool stands_in(const u8* l1) const {
      return std::equal(words.begin(), words.end(), l1 + (pc & ~(kLineBytes - 1)));
    }
  };

  std::vector<Head> heads_;  // the oldest first
};

}  // namespace bhemu::riscv
