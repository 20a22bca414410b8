// A function calls itself until its stack has left local memory.
#include "launch.h"

#ifdef MENDED
enum { DEPTH = 4 };
#else
enum { DEPTH = 2000 };
#endif

__attribute__((noinline)) static u32 Walk(volatile u32* from, u32 depth) {
  volatile u32 local[16];
  local[0] = depth;
  if (depth == 0) return *from;
  const u32 below = Walk(local, depth - 1);
  return below * 3 + local[0];
}
static void Main(void) {
  Write32(0x90000, Walk((volatile u32*)0x90100, DEPTH));
}
KERNEL(Main)
