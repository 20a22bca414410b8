// A pointer that nobody has set is written through.
#include "launch.h"

static void Store(void) {
#ifdef MENDED
  const u32 target = 0x100000;
#else
  const u32 target = Arg(0);
#endif
  Write32(target + 4 * (target == 1), 42);  // HERE
}
KERNEL(Store)
