// A GPR is set and then written to configuration. On Blackhole WRCFG can read the GPR before
// SETDMAREG has written it (tenstorrent/tt-llk #1661, tt-isa-documentation #58, tt-metal #48585;
// ORDERING.md, row 36).
#include "races.h"
#include "tensix.h"

static void SetAndWrite(void) {
  TTI(SETDMAREG, .reg_index_16b = 2 * 20, .payload_sig_sel = 0x0005);
  TTI(SETDMAREG, .reg_index_16b = 2 * 20 + 1, .payload_sig_sel = 0x600D & 0x3FFF);
  if (MENDED) TTI(STALLWAIT, .stall_res = STALL_CFG, .wait_res = WAIT_THCON);
  TTI(WRCFG, .gpr_address = 20, .cfg_reg = SCRATCH_SEC0_val_WORD);
  TTI(NOP);
  TTI(RDCFG, .gpr_address = 21, .cfg_reg = SCRATCH_SEC0_val_WORD);
  TensixSync();
  Report(ReadBack(TENSIX_GPR_BASE + 4 * 21));
}
KERNEL(SetAndWrite)
