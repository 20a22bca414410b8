// Two threads change the same byte of a configuration word with RMWCIB; mended, under a mutex
// (ORDERING.md, rows 18 and 39).
#include "races.h"
#include "tensix.h"

static void Change(void) {
  if (MENDED) TTI(ATGETM, .mutex_index = MUTEX_REG_RMW);
  TTI(RMWCIB0, .cfg_reg_addr = SCRATCH_SEC1_val_WORD, .mask = 0xFF, .data = GUEST_CORE);
  if (MENDED) TTI(ATRELM, .mutex_index = MUTEX_REG_RMW);
  TensixSync();
  if (GUEST_CORE == CORE_TRISC1) Report(0x600D0030);
}
KERNEL(Change)
