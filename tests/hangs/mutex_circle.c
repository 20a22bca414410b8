// Two threads take two mutexes in opposite order.
#include "launch.h"
#include "tensix.h"

#if GUEST_CORE == CORE_TRISC0
static void First(void) {
  TTI(ATGETM, .mutex_index = 2);
  TTI(SEMPOST, .sem_sel = 1 << 3);
#ifndef MENDED
  TTI(SEMWAIT, .stall_res = STALL_SYNC, .sem_sel = 1 << 4, .wait_sem_cond = SEMWAIT_ON_ZERO);
#endif
  TTI(ATGETM, .mutex_index = 3);  // HERE
  TTI(ATRELM, .mutex_index = 3);
  TTI(ATRELM, .mutex_index = 2);
}
KERNEL(First)
#elif GUEST_CORE == CORE_TRISC1
static void Second(void) {
  TTI(SEMWAIT, .stall_res = STALL_SYNC, .sem_sel = 1 << 3, .wait_sem_cond = SEMWAIT_ON_ZERO);
#ifdef MENDED
  TTI(ATGETM, .mutex_index = 2);
  TTI(ATGETM, .mutex_index = 3);
#else
  TTI(ATGETM, .mutex_index = 3);
  TTI(SEMPOST, .sem_sel = 1 << 4);
  TTI(ATGETM, .mutex_index = 2);
#endif
  TTI(ATRELM, .mutex_index = 2);
  TTI(ATRELM, .mutex_index = 3);
}
KERNEL(Second)
#endif
