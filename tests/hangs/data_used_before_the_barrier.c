// A core sums up what it has asked for over the NoC and does not wait for it.
#include "dram_pages.h"
#include "launch.h"

enum { DATA = 0x90000, RESULT = 0x91000 };

static void Sum(void) {
  const struct interleaved_dram tensor = InterleavedDram(MyNoc(), Arg(0), 64);
  NocRead(tensor.noc, DramPageXy(&tensor, 0), DramPageAddress(&tensor, 0), DATA, 64);
#ifdef MENDED
  NocReadBarrier(tensor.noc);
#endif
  u32 sum = 0;
  for (u32 i = 0; i < 16; ++i) sum += Read32(DATA + 4 * i);  // HERE
  Write32(RESULT, sum);
#ifndef MENDED
  NocReadBarrier(tensor.noc);
#endif
}
KERNEL(Sum)
