// Two threads read, change and write one configuration word under a mutex. Broken, thread 1 lets go
// before its write, when thread 0 has long been through (ORDERING.md, rows 18 and 39).
#include "races.h"
#include "tensix.h"

enum { WAIT_CFG = 0x1000, LONG = 300, MUTEX = 2 };

static void Change(void) {
  const u32 early = !MENDED && GUEST_CORE == CORE_TRISC1;
  for (u32 i = 0; GUEST_CORE == CORE_TRISC1 && i < LONG; ++i) __asm__ volatile("nop");
  TTI(ATGETM, .mutex_index = MUTEX);
  TTI(RDCFG, .gpr_address = 20, .cfg_reg = SCRATCH_SEC0_val_WORD);
  TTI(STALLWAIT, .stall_res = STALL_THCON, .wait_res = WAIT_CFG);
  TTI(ADDDMAREG, .op_b_is_const = 1, .op_a_reg_index = 20, .op_b_reg_index = 1 + GUEST_CORE,
      .result_reg_index = 23);
  if (early) TTI(ATRELM, .mutex_index = MUTEX);
  TTI(STALLWAIT, .stall_res = STALL_CFG, .wait_res = WAIT_THCON);
  TTI(WRCFG, .gpr_address = 23, .cfg_reg = SCRATCH_SEC0_val_WORD);
  TTI(STALLWAIT, .stall_res = STALL_SYNC, .wait_res = WAIT_CFG);
  if (!early) TTI(ATRELM, .mutex_index = MUTEX);
  TensixSync();
  if (GUEST_CORE == CORE_TRISC1) Report(0x600D005A);
}
KERNEL(Change)
