// The consumer waits for more pages at once than the buffer has; the producer waits for room.
#include "cb.h"
#include "launch.h"

#if GUEST_CORE == CORE_NCRISC
static void FillPages(void) {
  for (u32 i = 0; i < 3; ++i) {
    CbReserveBack(0, 1);
    CbPushBack(0, 1);
  }
}
KERNEL(FillPages)
#else
static void DrainPages(void) {
  CbWaitFront(0, 3);  // HERE
  CbPopFront(0, 3);
}
KERNEL(DrainPages)
#endif
