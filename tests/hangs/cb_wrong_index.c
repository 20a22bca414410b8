// The producer fills another circular buffer than the one that is waited for.
#include "cb.h"
#include "launch.h"

#if GUEST_CORE == CORE_NCRISC
static void FillPage(void) {
#ifdef MENDED
  CbPushBack(0, 1);
#else
  CbPushBack(1, 1);
#endif
}
KERNEL(FillPage)
#else
static void DrainPage(void) {
  CbWaitFront(0, 1);  // HERE
  CbPopFront(0, 1);
}
KERNEL(DrainPage)
#endif
