// Waits for a flag in L1 that another core was to set, and does not.
#include "launch.h"

enum { FLAG = 0x100000 };

#if GUEST_CORE == CORE_NCRISC
static void SetFlag(void) {
#ifdef MENDED
  Write32(FLAG, 7);
#endif
}
KERNEL(SetFlag)
#else
static void AwaitFlag(void) {
  while (Read32(FLAG) != 7) InvalidateL1Cache();  // HERE
}
KERNEL(AwaitFlag)
#endif
