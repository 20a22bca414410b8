// A lock in L1 that the unpack thread takes by ATCAS and keeps; the math thread wants it.
#include "launch.h"
#include "tensix.h"

static void Lock(void) {
  Write32(TENSIX_GPR_BASE, 0x9000);  // in units of 16 bytes
  ReadBack(TENSIX_GPR_BASE);
#if GUEST_CORE == CORE_TRISC1
  TTI(SEMWAIT, .stall_res = 0x1FF, .sem_sel = 1 << 3, .wait_sem_cond = SEMWAIT_ON_ZERO);
#endif
  TTI(ATCAS, .addr_reg_index = 0, .cmp_val = 0, .swap_val = 1);  // HERE
  TTI(STALLWAIT, .stall_res = STALL_SYNC, .wait_res = WAIT_THCON);
#ifdef MENDED
  TTI(ATCAS, .addr_reg_index = 0, .cmp_val = 1, .swap_val = 0);
  TTI(STALLWAIT, .stall_res = STALL_SYNC, .wait_res = WAIT_THCON);
#endif
  TTI(SEMPOST, .sem_sel = 1 << 3);
}
KERNEL(Lock)
