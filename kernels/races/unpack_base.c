// TRISC0 stores the base address of the next tile into configuration and unpacks, while TRISC2
// keeps the configuration unit busy, which starves the store (tenstorrent/tt-metal #9370, #12855,
// #14694; ORDERING.md, rows 8 and 41).
#include "races.h"
#include "tensix.h"
#if GUEST_CORE == CORE_TRISC0
#include "tile_unpack.h"
#endif

#if GUEST_CORE == CORE_TRISC0
static void UnpackFromTwoPlaces(void) {
  // Two tiles that can be told from each other.
  for (u32 i = 0; i < 1024; ++i) Write32(ScratchAddress(4 * i), 0x3F803F80 + i * 0x10001);
  ReadBack(ScratchAddress(4 * 1023));
  UnpackStart();
  for (u32 i = 0; i < 2; ++i) {
    WriteConfig(THCON_SEC0_REG3_Base_address_WORD, (ScratchAddress(0) >> 4) + 32 * i);
    if (MENDED) TTI(STALLWAIT, .stall_res = STALL_UNPACK, .wait_res = WAIT_TRISC_CFG);
    TTI(UNPACR, .unpack_block_selection = 0, .ovrd_thread_id = 1, .last = 1);
    TensixSync();
  }
  Report(0x600D0002);
}
KERNEL(UnpackFromTwoPlaces)
#else
static void FloodConfiguration(void) {
  TTI(SETDMAREG, .reg_index_16b = 2 * 20, .payload_sig_sel = 1);
  TTI(STALLWAIT, .stall_res = STALL_CFG, .wait_res = WAIT_THCON);
  for (u32 i = 0; i < 64; ++i) TTI(WRCFG, .gpr_address = 20, .cfg_reg = SCRATCH_SEC2_val_WORD);
  TensixSync();
}
KERNEL(FloodConfiguration)
#endif
