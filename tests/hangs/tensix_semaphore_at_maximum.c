// The math thread waits until its last result was taken, which nobody does.
#include "launch.h"
#include "tensix.h"

#if GUEST_CORE == CORE_TRISC1
static void Compute(void) {
  TTI(SEMINIT, .max_value = 1, .init_value = 0, .sem_sel = 1 << 3);
  TTI(SEMPOST, .sem_sel = 1 << 3);
  TTI(SEMWAIT, .stall_res = 2, .sem_sel = 8, .wait_sem_cond = SEMWAIT_ON_MAX);  // HERE
  TTI(SEMPOST, .sem_sel = 1 << 3);
}
KERNEL(Compute)
#elif GUEST_CORE == CORE_TRISC2
static void Pack(void) {
#ifdef MENDED
  TTI(SEMWAIT, .stall_res = STALL_SYNC, .sem_sel = 1 << 3, .wait_sem_cond = SEMWAIT_ON_ZERO);
  TTI(SEMGET, .sem_sel = 1 << 3);
#endif
}
KERNEL(Pack)
#endif
