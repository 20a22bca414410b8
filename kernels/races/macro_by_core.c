// An SFPLOADMACRO whose slots count cycles is pushed by the core itself: between it and what
// follows there can be bubbles, by which the slots shift (tenstorrent/tt-llk #1461; ORDERING.md,
// row 31). Mended, the sequence is played from the replay buffer, which leaves none.
#include "races.h"
#include "tensix.h"

enum { SFPLOADI_LOW_HALF = 10, SFPLOADI_HIGH_HALF = 8, MACRO_SEQUENCE_0 = 4, STORE_SLOT = 0x0B };

static void MacroAndMore(void) {
  TTI(SFPLOADI, .lreg_ind = 0, .instr_mod0 = SFPLOADI_LOW_HALF, .imm16 = 0);
  TTI(SFPLOADI, .lreg_ind = 0, .instr_mod0 = SFPLOADI_HIGH_HALF, .imm16 = STORE_SLOT << 8);
  TTI(SFPCONFIG, .config_dest = MACRO_SEQUENCE_0);
  TTI(SFPNOP);
  if (MENDED) {
    __asm__ volatile("csrs 0x7C0, %0" ::"r"(CFG0_DIS_TRISC_CACHE) : "memory");
    TTI(REPLAY, .start_idx = 0, .len = 4, .load_mode = 1);
  }
  TTI(SFPLOADMACRO, .lreg_ind = 1, .sfpu_addr_mode = 7);
  TTI(SFPADD, .lreg_src_a = 10, .lreg_src_b = 0, .lreg_src_c = 0, .lreg_dest = 2);
  TTI(SFPNOP);
  TTI(SFPNOP);
  if (MENDED) {
    __asm__ volatile("csrc 0x7C0, %0" ::"r"(CFG0_DIS_TRISC_CACHE) : "memory");
    TTI(REPLAY, .start_idx = 0, .len = 4);
  }
  TensixSync();
  Report(0x600D0022);
}
KERNEL(MacroAndMore)
