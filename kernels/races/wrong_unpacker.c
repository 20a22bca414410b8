// TRISC0 rewrites a field of unpacker 0 behind a wait for unpacker 1 (ORDERING.md, row 38).
#include "races.h"
#include "tile_unpack.h"

static void WrongUnpacker(void) {
  UnpackStart();
  WriteConfig(THCON_SEC0_REG3_Base_address_WORD, (ScratchAddress(0) >> 4) - 1);
  TTI(SETDMAREG, .reg_index_16b = 40, .payload_sig_sel = 0x25);
  TTI(SETDMAREG, .reg_index_16b = 41, .payload_sig_sel = 2);
  TTI(STALLWAIT, .stall_res = STALL_UNPACK, .wait_res = WAIT_TRISC_CFG);
  TTI(UNPACR, .unpack_block_selection = 0, .ovrd_thread_id = 1, .last = 1);
  TTI(STALLWAIT, .stall_res = STALL_CFG,
      .wait_res = WAIT_THCON | (MENDED ? WAIT_UNPACK0 : WAIT_UNPACK1));
  TTI(WRCFG, .gpr_address = 20, .cfg_reg = THCON_SEC0_REG2_Out_data_format_WORD);
  TensixSync();
  Report(0x600D0049);
}
KERNEL(WrongUnpacker)
