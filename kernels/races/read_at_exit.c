// A kernel returns while a read is under way: its answer comes into the counters of the next
// kernel, whose barriers then wait for a total that is never met (tenstorrent/tt-metal #16171,
// #16471; ORDERING.md, row 54).
#include "noc.h"
#include "races.h"

static void ReadAndLeave(void) {
  const u32 noc = MyNoc();
  Report(0x600D0023);
  NocRead(noc, NocXy(MyX(noc), MyY(noc)), ScratchAddress(0), ScratchAddress(0x400), 64);
  if (MENDED) NocReadBarrier(noc);
}
KERNEL(ReadAndLeave)
