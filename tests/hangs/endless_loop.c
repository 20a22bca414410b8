// A loop that looks at nothing.
#include "launch.h"

static void Wait(void) {
  u32 ready = Arg(0);
#ifdef MENDED
  ready = 1;
#endif
  while (!ready) __asm__ volatile("");  // HERE
}
KERNEL(Wait)
