// Counts for ever: no hang, but a limit of cycles ends it.
#include "launch.h"

static void Count(void) {
#ifdef MENDED
  const u32 end = 1000;
#else
  const u32 end = 0xFFFFFFFF;
#endif
  for (u32 i = 0; i != end; ++i) Write32(0x100000 + 4 * (i & 15), i);  // HERE
}
KERNEL(Count)
