// A kernel reads a word of the ARC tile where it has nothing.
#include "launch.h"
#include "noc.h"

static void Ask(void) {
  const u32 noc = MyNoc();
#ifdef MENDED
  NocRead(noc, NocXy(2, 2), 0x90000, 0x90000, 4);
#else
  NocRead(noc, NocXy(8, 0), 0x12340000, 0x90000, 4);  // HERE
#endif
  NocReadBarrier(noc);
}
KERNEL(Ask)
