// A count of nothing, less one, is as many as there are. Argument: pages.
#include "launch.h"

static void Read(void) {
  const u32 last = Arg(0) - 1;
  for (u32 i = 0; i < last; ++i) Write32(0x90000 + (i & 0xFFF) * 4, i);  // HERE
}
KERNEL(Read)
