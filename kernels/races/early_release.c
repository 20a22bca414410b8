// TRISC1 only uses the vector unit, and gives banks of SrcA and SrcB back that it has not waited
// for. When TRISC0 hands them over later, nobody gives them back (tenstorrent/tt-metal #53413,
// #54483; ORDERING.md, row 67).
#include "races.h"
#include "tensix.h"

#if GUEST_CORE == CORE_TRISC0
static void HandOver(void) {
  TTI(UNPACR_NOP, .unpacker_select = 0, .set_dvalid = 1, .unpack_pop = 1, .stall_clr_cntrl = 1);
  TTI(UNPACR_NOP, .unpacker_select = 1, .set_dvalid = 1, .unpack_pop = 1, .stall_clr_cntrl = 1);
}
KERNEL(HandOver)
#else
static void UseVectorUnitOnly(void) {
  // In this run the banks are there in time: a few cycles, that nobody promises.
  for (u32 i = 0; i < 200; ++i) __asm__ volatile("nop");
  TTI(SFPLOADI, .lreg_ind = 0, .imm16 = 0x3F80);
  if (MENDED) {
    TTI(STALLWAIT, .stall_res = STALL_MATH, .wait_res = WAIT_SRCA_VLD | WAIT_SRCB_VLD);
  }
  TTI(SETRWC, .clear_ab_vld = 3, .bit_mask = 0xF);
  TensixSync();
  Report(0x600D0020);
}
KERNEL(UseVectorUnitOnly)
#endif
