// The producer reserves more than the buffer has; the waiter itself is to blame.
#include "cb.h"
#include "launch.h"

#ifdef MENDED
enum { PAGES = 2 };
#else
enum { PAGES = 3 };
#endif

#if GUEST_CORE == CORE_NCRISC
static void FillPages(void) {
  CbReserveBack(0, PAGES);  // HERE
  CbPushBack(0, PAGES);
}
KERNEL(FillPages)
#else
static void DrainPages(void) {
  CbWaitFront(0, 2);
  CbPopFront(0, 2);
}
KERNEL(DrainPages)
#endif
