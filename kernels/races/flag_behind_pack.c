// The scalar unit sets a flag in L1 behind a pack; the wait before it is for the matrix unit
// instead of the packer (ORDERING.md, row 42).
#include "races.h"
#if GUEST_CORE == CORE_TRISC2
#include "tile_pack.h"

static void FlagBehindPack(void) {
  PackInit();
  const u32 units = ScratchAddress(0) >> 4;
  TT(SETDMAREG, .reg_index_16b = 42 * 2, .payload_sig_sel = units & 0x3FFF,
     .payload_sig_sel_size = units >> 14 & 3);
  TT(SETDMAREG, .reg_index_16b = 42 * 2 + 1, .payload_sig_sel = units >> 16);
  TTI(SETDMAREG, .reg_index_16b = 43 * 2, .payload_sig_sel = 1);
  TTI(SETDMAREG, .reg_index_16b = 43 * 2 + 1, .payload_sig_sel = 0);
  TTI(SETDMAREG, .reg_index_16b = 44 * 2, .payload_sig_sel = 0);
  TTI(SETDMAREG, .reg_index_16b = 44 * 2 + 1, .payload_sig_sel = 0);
  // Two rows of ones, so that what BRISC reads is not what was there before.
  TTI(SFPLOADI, .lreg_ind = 0, .imm16 = 0x3F80);
  TTI(SFPSTORE, .lreg_ind = 0, .dest_reg_addr = 0, .sfpu_addr_mode = 7);
  TTI(SFPSTORE, .lreg_ind = 0, .dest_reg_addr = 2, .sfpu_addr_mode = 7);
  TTI(STALLWAIT, .stall_res = STALL_PACK, .wait_res = WAIT_TRISC_CFG);
  TTI(STALLWAIT, .stall_res = STALL_PACK, .wait_res = WAIT_SFPU);
  PackSetAddress(ScratchAddress(0x1000) >> 4);
  TTI(PACR, .last = 1);
  TTI(STALLWAIT, .stall_res = STALL_THCON, .wait_res = MENDED ? WAIT_PACK : WAIT_MATH);
  TTI(STOREIND, .mem_hier_sel = 1, .size_sel = 1, .offset_index = 2 * 44, .data_reg_index = 43,
      .addr_reg_index = 42);
  TensixSync();
}
#else

static void FlagBehindPack(void) {
  while (Read32(ScratchAddress(0)) == 0) Fence();
  Report(ReadBack(ScratchAddress(0x1000)));
}
#endif
KERNEL(FlagBehindPack)
