// The kernel reads its third argument; it was given two.
#include "launch.h"

static u32 Sum(u32 arguments) {
  u32 sum = 0;
  for (u32 i = 0; i < arguments; ++i) sum += Arg(i);  // HERE
  return sum;
}

static void Add(void) {
#ifdef MENDED
  Write32(0x100000, Sum(Arg(0)));
#else
  Write32(0x100000, Sum(Arg(0) + 1));
#endif
}
KERNEL(Add)
