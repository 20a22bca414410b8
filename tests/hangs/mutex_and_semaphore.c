// A thread waits for a semaphore while it holds the mutex that the other wants before it posts.
#include "launch.h"
#include "tensix.h"

#if GUEST_CORE == CORE_TRISC0
static void Hold(void) {
  TTI(ATGETM, .mutex_index = 2);
  TTI(SEMPOST, .sem_sel = 1 << 3);
#ifdef MENDED
  TTI(ATRELM, .mutex_index = 2);
#endif
  TTI(SEMWAIT, .stall_res = 0x1FF, .sem_sel = 1 << 4, .wait_sem_cond = SEMWAIT_ON_ZERO);  // HERE
#ifndef MENDED
  TTI(ATRELM, .mutex_index = 2);
#endif
}
KERNEL(Hold)
#else
static void Want(void) {
  TTI(SEMWAIT, .stall_res = 0x1FF, .sem_sel = 1 << 3, .wait_sem_cond = SEMWAIT_ON_ZERO);
  TTI(ATGETM, .mutex_index = 2);
  TTI(SEMPOST, .sem_sel = 1 << 4);
  TTI(ATRELM, .mutex_index = 2);
}
KERNEL(Want)
#endif
