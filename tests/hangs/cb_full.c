// The consumer takes one page and ends; the producer has four.
#include "cb.h"
#include "launch.h"

#if GUEST_CORE == CORE_NCRISC
static void FillPages(void) {
  for (u32 i = 0; i < 4; ++i) {
    CbReserveBack(0, 1);  // HERE
    CbPushBack(0, 1);
  }
}
KERNEL(FillPages)
#else
static void DrainPages(void) {
#ifdef MENDED
  enum { PAGES = 4 };
#else
  enum { PAGES = 1 };
#endif
  for (u32 i = 0; i < PAGES; ++i) {
    CbWaitFront(0, 1);
    CbPopFront(0, 1);
  }
}
KERNEL(DrainPages)
#endif
