// The unpack thread takes a mutex and keeps it; the math thread wants it.
#include "launch.h"
#include "tensix.h"

#if GUEST_CORE == CORE_TRISC0
static void Keep(void) {
  TTI(ATGETM, .mutex_index = 2);
  TTI(SEMPOST, .sem_sel = 1 << 3);
#ifdef MENDED
  TTI(ATRELM, .mutex_index = 2);
#endif
}
KERNEL(Keep)
#elif GUEST_CORE == CORE_TRISC1
static void Want(void) {
  TTI(SEMWAIT, .stall_res = STALL_SYNC, .sem_sel = 1 << 3, .wait_sem_cond = SEMWAIT_ON_ZERO);
  TTI(ATGETM, .mutex_index = 2);  // HERE
  TTI(ATRELM, .mutex_index = 2);
}
KERNEL(Want)
#endif
