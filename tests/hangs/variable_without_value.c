// A local array is used of which only the first half was filled.
#include "launch.h"

static void Sum(void) {
  volatile u32 local[8];
#ifdef MENDED
  enum { FILLED = 8 };
#else
  enum { FILLED = 4 };
#endif
  for (u32 i = 0; i < FILLED; ++i) local[i] = i;
  u32 sum = 0;
  for (u32 i = 0; i < 8; ++i) sum += local[i];  // HERE
  Write32(0x100000, sum);
}
KERNEL(Sum)
