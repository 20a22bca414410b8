// A table in L1 is read that nobody has filled.
#include "launch.h"

enum { TABLE = 0x100000 };

static void LookUp(void) {
#ifdef MENDED
  for (u32 i = 0; i < 4; ++i) Write32(TABLE + 4 * i, i);
#endif
  u32 sum = 0;
  for (u32 i = 0; i < 4; ++i) sum += Read32(TABLE + 4 * i);  // HERE
  Write32(0x110000, sum);
}
KERNEL(LookUp)
