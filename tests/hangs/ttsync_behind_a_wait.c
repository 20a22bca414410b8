// A TRISC waits until its thread is done, which waits for the other thread's semaphore.
#include "launch.h"
#include "tensix.h"

#if GUEST_CORE == CORE_TRISC0
static void Give(void) {
#ifdef MENDED
  TTI(SEMPOST, .sem_sel = 1 << 3);
#endif
}
KERNEL(Give)
#elif GUEST_CORE == CORE_TRISC1
static void Finish(void) {
  TTI(SEMWAIT, .stall_res = 0x1FF, .sem_sel = 1 << 3, .wait_sem_cond = SEMWAIT_ON_ZERO);  // HERE
  TTI(SFPNOP);
  TensixSync();
  Write32(0x100000, 1);
}
KERNEL(Finish)
#endif
