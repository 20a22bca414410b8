// The producer pushes three pages into a buffer of two without asking for room.
#include "cb.h"
#include "launch.h"

#if GUEST_CORE == CORE_NCRISC
static void FillPages(void) {
  for (u32 i = 0; i < 3; ++i) {
#ifdef MENDED
    CbReserveBack(0, 1);
#endif
    CbPushBack(0, 1);  // HERE
  }
}
KERNEL(FillPages)
#else
static void DrainPages(void) {
  for (u32 i = 0; i < 3; ++i) {
    CbWaitFront(0, 1);
    for (u32 wait = 0; wait < 500; ++wait) __asm__ volatile("nop");
    CbPopFront(0, 1);
  }
}
KERNEL(DrainPages)
#endif
