// TRISC0 hands a bank of SrcA over and, late, one of SrcB that only goes with it; TRISC1 waits for
// SrcA by its move and gives both back. A card hangs so when no-ops hold up unpacker 1, and nobody
// has said why (tenstorrent/tt-metal #55180; ORDERING.md, row 67).
#include "races.h"
#include "tensix.h"

enum { FILLERS = 6 };

#if GUEST_CORE == CORE_TRISC0
static void HandOver(void) {
  WriteConfig(THCON_SEC0_REG3_Base_address_WORD, ScratchAddress(0) >> 4);
  TTI(STALLWAIT, .stall_res = STALL_UNPACK, .wait_res = WAIT_TRISC_CFG);
  for (u32 i = 0; i < FILLERS; ++i) TTI(UNPACR_NOP, .unpacker_select = 1, .unpack_pop = 2);
  TTI(UNPACR_NOP, .unpacker_select = 0, .set_dvalid = 1, .unpack_pop = 1, .stall_clr_cntrl = 1);
  TTI(UNPACR_NOP, .unpacker_select = 1, .set_dvalid = 1, .unpack_pop = 1, .stall_clr_cntrl = 1);
}
KERNEL(HandOver)
#else
static void CopyAndGiveBack(void) {
  TTI(MOVA2D, .instr_mod = 2);
  // In this run the bank of SrcB is there in time.
  for (u32 i = 0; i < 200; ++i) __asm__ volatile("nop");
  if (MENDED) TTI(STALLWAIT, .stall_res = STALL_MATH, .wait_res = WAIT_MATH | WAIT_SRCB_VLD);
  TTI(SETRWC, .clear_ab_vld = 3, .bit_mask = 0xF);
  TensixSync();
  Report(0x600D005B);
}
KERNEL(CopyAndGiveBack)
#endif
