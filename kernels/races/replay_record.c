// A REPLAY records eight instructions while the core may fuse what it pushes; what is recorded can
// be scrambled (tenstorrent/tt-metal #53415, #54806; ORDERING.md, row 12).
#include "races.h"
#include "tensix.h"

static void Record(void) {
  if (MENDED) __asm__ volatile("csrs 0x7C0, %0" ::"r"(CFG0_DIS_TRISC_CACHE) : "memory");
  TTI(REPLAY, .start_idx = 0, .len = 8, .load_mode = 1);
  TTI(SFPLOADI, .lreg_ind = 0, .imm16 = 0x3F80);
  TTI(SFPNOP);
  TTI(SFPADD, .lreg_src_a = 10, .lreg_src_b = 0, .lreg_src_c = 0, .lreg_dest = 1);
  TTI(SFPNOP);
  TTI(SFPMUL, .lreg_src_a = 1, .lreg_src_b = 1, .lreg_src_c = 9, .lreg_dest = 2);
  TTI(SFPNOP);
  TTI(SFPNOP);
  TTI(SFPNOP);
  if (MENDED) __asm__ volatile("csrc 0x7C0, %0" ::"r"(CFG0_DIS_TRISC_CACHE) : "memory");
  TTI(REPLAY, .start_idx = 0, .len = 8);
  TensixSync();
  Report(0x600D0008);
}
KERNEL(Record)
