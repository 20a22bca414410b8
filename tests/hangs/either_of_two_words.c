// Either of two words would do, and each gets what the other one should have.
#include "launch.h"
#include "semaphore.h"

#if GUEST_CORE == CORE_BRISC
static void Take(void) {
  for (;;) {
    InvalidateL1Cache();
    if (Read32(SemaphoreAddress(0)) == 3) break;  // HERE
    if (Read32(SemaphoreAddress(1)) == 5) break;
  }
}
KERNEL(Take)
#else
static void Give(void) {
#ifdef MENDED
  SemaphoreSet(1, 5);
#else
  SemaphoreSet(0, 5);
  SemaphoreSet(1, 3);
#endif
}
KERNEL(Give)
#endif
