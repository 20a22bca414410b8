// Two threads read, change and write one configuration word. Broken, only one of them takes the
// mutex (ORDERING.md, row 39).
#include "races.h"
#include "tensix.h"

enum { WAIT_CFG = 0x1000 };

static void HalfMutex(void) {
  if (MENDED || GUEST_CORE == CORE_TRISC0) TTI(ATGETM, .mutex_index = 2);
  TTI(RDCFG, .gpr_address = 20, .cfg_reg = SCRATCH_SEC0_val_WORD);
  TTI(STALLWAIT, .stall_res = STALL_THCON, .wait_res = WAIT_CFG);
  TTI(ADDDMAREG, .op_b_is_const = 1, .op_a_reg_index = 20, .op_b_reg_index = 1 + GUEST_CORE,
      .result_reg_index = 23);
  TTI(STALLWAIT, .stall_res = STALL_CFG, .wait_res = WAIT_THCON);
  TTI(WRCFG, .gpr_address = 23, .cfg_reg = SCRATCH_SEC0_val_WORD);
  TTI(STALLWAIT, .stall_res = STALL_SYNC, .wait_res = WAIT_CFG);
  if (MENDED || GUEST_CORE == CORE_TRISC0) TTI(ATRELM, .mutex_index = 2);
  TensixSync();
  if (GUEST_CORE == CORE_TRISC0) Report(0x600D0052);
}
KERNEL(HalfMutex)
