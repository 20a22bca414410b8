// One page, two consumers: TRISC0 takes what BRISC waits for.
#include "cb.h"
#include "launch.h"

#if GUEST_CORE == CORE_NCRISC
static void FillPage(void) {
  CbPushBack(0, 1);
#ifdef MENDED
  CbPushBack(0, 1);
#endif
}
KERNEL(FillPage)
#elif GUEST_CORE == CORE_TRISC0
static void Unpack(void) {
  while (CbPagesFilled(0) == 0) {
  }
  Write32(StreamRegister(0, STREAM_TILES_ACKED), Read32(StreamRegister(0, STREAM_TILES_ACKED)) + 1);
  Write32(0x100000, 1);
}
KERNEL(Unpack)
#else
static void DrainPage(void) {
  while (Read32(0x100000) == 0) InvalidateL1Cache();
  CbWaitFront(0, 1);  // HERE
  CbPopFront(0, 1);
}
KERNEL(DrainPage)
#endif
