// As move_into_src, but without any wait before the move: the clear of the unpacker can land behind
// it (tenstorrent/tt-metal #53412, #54683; ORDERING.md, row 20).
#include "races.h"
#include "tensix.h"

enum { BANKS = 4, MOVED = 64 };  // the row of Dst that is moved; ones, so that a clear shows

#if GUEST_CORE == CORE_TRISC0
static void ClearBanks(void) {
  for (u32 i = 0; i < BANKS; ++i) {
    TTI(UNPACR_NOP, .unpacker_select = 0, .set_dvalid = 1, .unpack_pop = 1, .stall_clr_cntrl = 1);
    TTI(UNPACR_NOP, .unpacker_select = 1, .set_dvalid = 1, .unpack_pop = 1, .stall_clr_cntrl = 1);
  }
}
KERNEL(ClearBanks)
#else
static void MoveAndAdd(void) {
  TTI(ZEROACC, .clear_mode = 3, .addr_mode = 1);
  TTI(STALLWAIT, .stall_res = STALL_SFPU, .wait_res = WAIT_MATH);
  TTI(SFPLOADI, .lreg_ind = 0, .imm16 = 0x3F80);
  TTI(SFPSTORE, .lreg_ind = 0, .dest_reg_addr = MOVED, .sfpu_addr_mode = 7);
  TTI(STALLWAIT, .stall_res = STALL_MATH, .wait_res = WAIT_SFPU);
  for (u32 i = 0; i < BANKS; ++i) {
    if (MENDED) {
      TTI(STALLWAIT, .stall_res = STALL_MATH, .wait_res = WAIT_MATH | WAIT_SRCA_VLD);
    }
    TTI(MOVD2A, .src = 0, .dst = MOVED, .instr_mod = 2);
    TTI(ELWADD, .clear_dvalid = 3);
  }
  TensixSync();
  Report(0x600D0016);
}
KERNEL(MoveAndAdd)
#endif
