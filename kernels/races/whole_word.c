// TRISC2 writes a whole configuration word of which it needs one byte; TRISC1 changes another byte
// with RMWCIB (tenstorrent/tt-llk #1655, tt-metal #48320; ORDERING.md, row 39).
#include "races.h"
#include "tensix.h"

#if GUEST_CORE == CORE_TRISC1
static void ChangeByte(void) {
  TTI(RMWCIB3, .cfg_reg_addr = SCRATCH_SEC1_val_WORD, .mask = 0xFF, .data = 0x77);
  TensixSync();
  Report(0x600D0004);
}
KERNEL(ChangeByte)
#else
static void WriteWord(void) {
  TTI(SETDMAREG, .reg_index_16b = 2 * 20, .payload_sig_sel = 0x12);
  TTI(SETDMAREG, .reg_index_16b = 2 * 20 + 1, .payload_sig_sel = 0);
  TTI(STALLWAIT, .stall_res = STALL_CFG, .wait_res = WAIT_THCON);
  if (MENDED) {
    TTI(RMWCIB0, .cfg_reg_addr = SCRATCH_SEC1_val_WORD, .mask = 0xFF, .data = 0x12);
  } else {
    TTI(WRCFG, .gpr_address = 20, .cfg_reg = SCRATCH_SEC1_val_WORD);
  }
  TTI(NOP);
  TensixSync();
}
KERNEL(WriteWord)
#endif
