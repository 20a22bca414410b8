// A counter in DRAM, where there are no atomics.
#include "dram_pages.h"
#include "launch.h"

static void Count(void) {
  const u32 noc = MyNoc();
#ifdef MENDED
  NocAtomicAdd(noc, NocXy(2, 2), 0x90000, 1);
#else
  const struct interleaved_dram words = InterleavedDram(noc, Arg(0), 64);
  NocAtomicAdd(noc, DramPageXy(&words, 0), DramPageAddress(&words, 0), 1);  // HERE
#endif
  NocAtomicBarrier(noc);
}
KERNEL(Count)
