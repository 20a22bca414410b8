// BRISC takes pages two at a time and gives back one.
#include "cb.h"
#include "launch.h"

enum { PAGES = 8 };

#if GUEST_CORE == CORE_NCRISC
static void Fill(void) {
  for (u32 i = 0; i < PAGES; ++i) {
    CbReserveBack(0, 1);  // HERE
    Write32(CbWritePointer(0), i);
    CbPushBack(0, 1);
  }
}
KERNEL(Fill)
#else
static void Drain(void) {
  for (u32 i = 0; i < PAGES; i += 2) {
    CbWaitFront(0, 2);
#ifdef MENDED
    CbPopFront(0, 2);
#else
    CbPopFront(0, 1);
#endif
  }
}
KERNEL(Drain)
#endif
