// When the pieces of an operation land.
#pragma once

#include <algorithm>

#include "base/types.hpp"

namespace bhemu::tensix {

/// Piece k of `count` lands when its share of the span is over, or drawn before that, but none
/// before the one in front of it.
struct Pieces {
  u32 count = 0;  // 0: nothing is in flight
  u32 landed = 0;
  Cycle begin = 0;
  Cycle span = 0;
  u64 draw = 0;  // of each piece's own draw; 0: none, it lands at the end of its share
  Cycle next = kNever;

  /// The piece at `next` has landed, or (`landed` 0) none has.
  void set_next() {
    const u64 share = (u64{landed + 1} * span + count - 1) / count;
    Cycle at = begin + share;
    if (draw != 0) at = begin + mixed(draw + landed) % (share + 1);
    next = landed == 0 ? at : std::max(next, at);
  }
  void land() {
    if (++landed == count)
      *this = {};
    else
      set_next();
  }

  /// splitmix64's finalizer: every bit of the key decides about every bit of the draw.
  static constexpr u64 mixed(u64 key) {
    key = (key ^ (key >> 30)) * 0xBF58476D1CE4E5B9u;
    key = (key ^ (key >> 27)) * 0x94D049BB133111EBu;
    return key ^ (key >> 31);
  }
};

}  // namespace bhemu::tensix
