// The producer pushes one page fewer than the consumer takes.
#include "cb.h"
#include "launch.h"

enum { PAGES = 8 };

#if GUEST_CORE == CORE_NCRISC
static void FillPages(void) {
#ifdef MENDED
  enum { COUNT = PAGES };
#else
  enum { COUNT = PAGES - 1 };
#endif
  for (u32 i = 0; i < COUNT; ++i) {
    CbReserveBack(0, 1);
    CbPushBack(0, 1);
  }
}
KERNEL(FillPages)
#else
static void DrainPages(void) {
  for (u32 i = 0; i < PAGES; ++i) {
    CbWaitFront(0, 1);  // HERE
    CbPopFront(0, 1);
  }
}
KERNEL(DrainPages)
#endif
