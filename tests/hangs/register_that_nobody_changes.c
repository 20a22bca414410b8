// BRISC waits for a core's reset that nobody asks for.
#include "launch.h"
#include "mmio.h"

#ifdef MENDED
enum { HELD = 0 };
#else
enum { HELD = 1 << 11 };
#endif

static void Wait(void) {
  while ((Read32(DEBUG_SOFT_RESET_0) & 1 << 11) != HELD) {  // HERE
  }
}
KERNEL(Wait)
