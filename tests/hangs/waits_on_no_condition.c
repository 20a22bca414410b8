// A thread is to wait while a semaphore is 0, and names the semaphore without a condition: it goes
// on at once.
#include "launch.h"
#include "tensix.h"

enum { FILLED = 3 };

static void Await(void) {
  TTI(SEMINIT, .max_value = 1, .init_value = 1, .sem_sel = 1 << FILLED);
#ifdef MENDED
  TTI(SEMWAIT, .stall_res = STALL_MATH, .sem_sel = 1 << FILLED, .wait_sem_cond = SEMWAIT_ON_ZERO);
#else
  TTI(SEMWAIT, .stall_res = STALL_MATH, .sem_sel = 1 << FILLED);  // HERE
#endif
  TTI(SEMGET, .sem_sel = 1 << FILLED);
}
KERNEL(Await)
