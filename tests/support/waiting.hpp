// A loop of guests that waits with a time limit.
#pragma once

#include "support/assembler.hpp"

namespace bhemu::test {

/// Until the word at `address` is not 0, which is in a4 then, or the wall clock has counted so many
/// `cycles`. Uses t0 to t2, a0, a3 and s0.
inline void wait_for_word(Assembler& a, u32 address, u32 cycles) {
  constexpr i32 kWallClock = 0x1F0;
  a.li(s0, 0xFFB12000);
  a.li(t2, cycles);
  a.li(a3, address);
  a.lw(a0, kWallClock, s0);
  a.label("again");
  a.lw(a4, 0, a3);
  a.bne(a4, zero, "over");
  a.lw(t0, kWallClock, s0);
  a.sub(t1, t0, a0);
  a.bltu(t1, t2, "again");
  a.label("over");
}

}  // namespace bhemu::test
