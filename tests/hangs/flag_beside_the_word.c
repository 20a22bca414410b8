// A core raises a flag in L1 that another of its tile polls, one word beside it.
#include "launch.h"

enum { FLAG = 0x90000 };

#if GUEST_CORE == CORE_NCRISC
#ifdef MENDED
enum { RAISED = FLAG };
#else
enum { RAISED = FLAG + 4 };
#endif
static void Raise(void) {
  Write32(RAISED, 1);
}
KERNEL(Raise)
#else
static void Wait(void) {
  while (Read32(FLAG) == 0) InvalidateL1Cache();  // HERE
}
KERNEL(Wait)
#endif
