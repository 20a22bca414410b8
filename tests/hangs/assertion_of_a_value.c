// An assertion of the SDK on a value that is another.
#include "launch.h"

static void Check(void) {
#ifdef MENDED
  Write32(0x90000, 3);
#else
  Write32(0x90000, 2);
#endif
  const u32 value = Read32(0x90000);
  ASSERT(value == 3);  // HERE
  Write32(0x90004, value);
}
KERNEL(Check)
