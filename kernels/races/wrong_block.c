// TRISC2 packs rows of Dst and then stores to them by the vector unit. The STALLWAIT between waits
// for the packer, but holds the matrix unit (ORDERING.md, row 15).
#include "races.h"
#include "tile_pack.h"

static void WrongBlock(void) {
  PackInit();
  TTI(STALLWAIT, .stall_res = STALL_PACK, .wait_res = WAIT_TRISC_CFG);
  PackSetAddress(ScratchAddress(0x1000) >> 4);
  TTI(MOP, .mop_type = 1);
  TTI(STALLWAIT, .stall_res = MENDED ? STALL_SFPU : STALL_MATH, .wait_res = WAIT_PACK);
  TTI(SFPLOADI, .lreg_ind = 0, .imm16 = 0x3F80);
  TTI(SFPSTORE, .lreg_ind = 0, .sfpu_addr_mode = 7);
  TensixSync();
  Report(0x600D0048);
}
KERNEL(WrongBlock)
