// The pack thread waits for two results; the math thread posts one.
#include "launch.h"
#include "tensix.h"

#if GUEST_CORE == CORE_TRISC1
static void Compute(void) {
  TTI(SEMPOST, .sem_sel = 1 << 3);
#ifdef MENDED
  TTI(SEMPOST, .sem_sel = 1 << 3);
#endif
}
KERNEL(Compute)
#elif GUEST_CORE == CORE_TRISC2
static void Pack(void) {
  for (u32 i = 0; i < 2; ++i) {
    TTI(SEMWAIT, .stall_res = 2, .sem_sel = 8, .wait_sem_cond = SEMWAIT_ON_ZERO);  // HERE
    TTI(SEMGET, .sem_sel = 1 << 3);
  }
}
KERNEL(Pack)
#endif
