// RDCFG writes its GPR late. The wait before WRCFG uses it is for the scalar unit, not for the
// configuration unit (ORDERING.md, row 34).
#include "races.h"
#include "tensix.h"

enum { WAIT_CFG = 0x1000 };

static void ConfigToGpr(void) {
  TTI(RDCFG, .gpr_address = 20, .cfg_reg = SCRATCH_SEC0_val_WORD);
  TTI(STALLWAIT, .stall_res = STALL_CFG, .wait_res = MENDED ? WAIT_CFG : WAIT_THCON);
  TTI(WRCFG, .gpr_address = 20, .cfg_reg = SCRATCH_SEC1_val_WORD);
  TensixSync();
  Report(0x600D004A);
}
KERNEL(ConfigToGpr)
