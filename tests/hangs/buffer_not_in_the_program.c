// The producer fills a circular buffer that the program does not have.
#include "cb.h"
#include "launch.h"

#if GUEST_CORE == CORE_NCRISC
#ifdef MENDED
enum { OUT = 4 };
#else
enum { OUT = 5 };
#endif
static void Fill(void) {
  for (u32 i = 0; i < 8; ++i) {
    CbReserveBack(OUT, 1);  // HERE
    CbPushBack(OUT, 1);
  }
}
KERNEL(Fill)
#else
static void Drain(void) {
  for (u32 i = 0; i < 8; ++i) {
    CbWaitFront(4, 1);
    CbPopFront(4, 1);
  }
}
KERNEL(Drain)
#endif
