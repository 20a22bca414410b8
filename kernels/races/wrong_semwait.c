// TRISC2 waits for TRISC1's post with a SEMWAIT that holds the matrix unit and the sync unit, not
// the packer (ORDERING.md, row 16).
#include "races.h"
#if GUEST_CORE == CORE_TRISC2
#include "tile_pack.h"

static void WrongSemwait(void) {
  PackInit();
  TTI(STALLWAIT, .stall_res = STALL_PACK, .wait_res = WAIT_TRISC_CFG);
  PackSetAddress(ScratchAddress(0x1000) >> 4);
  TTI(SEMWAIT, .stall_res = MENDED ? STALL_TDMA : STALL_MATH | STALL_SYNC, .sem_sel = 1 << 1,
      .wait_sem_cond = SEMWAIT_ON_ZERO);
  TTI(PACR, .last = 1);
  TTI(SEMGET, .sem_sel = 1 << 1);
  TensixSync();
}
#else
#include "tensix.h"

static void WrongSemwait(void) {
  TTI(SFPLOADI, .lreg_ind = 0, .imm16 = 0x3F80);
  TTI(SFPSTORE, .lreg_ind = 0, .sfpu_addr_mode = 7);
  TTI(STALLWAIT, .stall_res = STALL_SYNC, .wait_res = WAIT_SFPU);
  TTI(SEMPOST, .sem_sel = 1 << 1);
  TensixSync();
  Report(0x600D0054);
}
#endif
KERNEL(WrongSemwait)
