// Two threads wait for each other's semaphore before they post their own.
#include "launch.h"
#include "tensix.h"

#if GUEST_CORE == CORE_TRISC1
static void Compute(void) {
#ifdef MENDED
  TTI(SEMPOST, .sem_sel = 1 << 3);
#endif
  TTI(SEMWAIT, .stall_res = 2, .sem_sel = 16, .wait_sem_cond = SEMWAIT_ON_ZERO);  // HERE
  TTI(SEMPOST, .sem_sel = 1 << 3);
}
KERNEL(Compute)
#elif GUEST_CORE == CORE_TRISC2
static void Pack(void) {
  TTI(SEMWAIT, .stall_res = STALL_SYNC, .sem_sel = 1 << 3, .wait_sem_cond = SEMWAIT_ON_ZERO);
  TTI(SEMPOST, .sem_sel = 1 << 4);
}
KERNEL(Pack)
#endif
