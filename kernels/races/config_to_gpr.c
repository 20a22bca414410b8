// RDCFG writes its GPR late. The wait before the use is for the scalar unit, not for the
// configuration unit (ORDERING.md, row 34).
#include "races.h"
#include "tensix.h"

enum { WAIT_CFG = 0x1000 };

static void ConfigToGpr(void) {
  TTI(RDCFG, .gpr_address = 20, .cfg_reg = SCRATCH_SEC0_val_WORD);
  TTI(STALLWAIT, .stall_res = STALL_THCON, .wait_res = MENDED ? WAIT_CFG : WAIT_THCON);
  TTI(ADDDMAREG, .op_b_is_const = 1, .op_a_reg_index = 20, .op_b_reg_index = 1,
      .result_reg_index = 23);
  TensixSync();
  Report(0x600D004A);
}
KERNEL(ConfigToGpr)
