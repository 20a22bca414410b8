// A kernel writes over its own arguments.
#include "launch.h"

static void Store(void) {
#ifdef MENDED
  const u32 target = 0x100000;
#else
  const u32 target = LDM32(LDM_RTA_L1_BASE);
#endif
  Write32(target, Arg(0) + 1);  // HERE
}
KERNEL(Store)
