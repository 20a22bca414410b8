// Two threads write a configuration field each and post one semaphore. A third takes one post and
// reads both fields (ORDERING.md, row 16).
#include "races.h"
#include "tensix.h"

static void TwoPosters(void) {
#if GUEST_CORE == CORE_TRISC1
  TTI(SEMWAIT, .stall_res = STALL_CFG | STALL_SYNC, .sem_sel = 1 << 6,
      .wait_sem_cond = SEMWAIT_ON_ZERO);
  TTI(SEMGET, .sem_sel = 1 << 6);
  if (MENDED) {
    TTI(SEMWAIT, .stall_res = STALL_CFG | STALL_SYNC, .sem_sel = 1 << 6,
        .wait_sem_cond = SEMWAIT_ON_ZERO);
    TTI(SEMGET, .sem_sel = 1 << 6);
  }
  TTI(RDCFG, .gpr_address = 20, .cfg_reg = SCRATCH_SEC0_val_WORD);
  TTI(RDCFG, .gpr_address = 21, .cfg_reg = SCRATCH_SEC2_val_WORD);
  TensixSync();
  Report(0x600D0047);
#else
  if (GUEST_CORE == CORE_TRISC0) {
    TTI(RMWCIB0, .cfg_reg_addr = SCRATCH_SEC0_val_WORD, .mask = 0xFF, .data = 1);
  } else {
    TTI(RMWCIB0, .cfg_reg_addr = SCRATCH_SEC2_val_WORD, .mask = 0xFF, .data = 1);
  }
  TTI(STALLWAIT, .stall_res = STALL_SYNC, .wait_res = 0x1000);
  TTI(SEMPOST, .sem_sel = 1 << 6);
  TensixSync();
#endif
}
KERNEL(TwoPosters)
