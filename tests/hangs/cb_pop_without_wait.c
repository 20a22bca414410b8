// The consumer takes a page without having waited for it.
#include "cb.h"
#include "launch.h"

#if GUEST_CORE == CORE_NCRISC
static void FillPages(void) {
  for (u32 i = 0; i < 2; ++i) {
    CbReserveBack(0, 1);
    CbPushBack(0, 1);
  }
}
KERNEL(FillPages)
#else
static void DrainPages(void) {
  CbWaitFront(0, 2);
  CbPopFront(0, 2);
#ifndef MENDED
  CbPopFront(0, 1);  // HERE
#endif
}
KERNEL(DrainPages)
#endif
