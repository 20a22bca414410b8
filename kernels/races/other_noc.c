// A page of DRAM is read by NoC 0, and the barrier looks at the counters of NoC 1 (ORDERING.md,
// row 47).
#include "noc.h"
#include "races.h"

static void OtherNoc(void) {
  NocLocalStateInit(0);
  NocLocalStateInit(1);
  const struct interleaved_dram t = InterleavedDram(0, 0x10000, 2048);
  Write32(ScratchAddress(0xFF0), 0x600D0050);
  ReadBack(ScratchAddress(0xFF0));
  NocWrite(0, ScratchAddress(0x800), DramPageXy(&t, 1), DramPageAddress(&t, 1), 2048);
  NocWriteBarrier(0);
  NocRead(0, DramPageXy(&t, 1), DramPageAddress(&t, 1), ScratchAddress(0), 2048);
  NocReadBarrier(MENDED ? 0 : 1);
  Report(ReadBack(ScratchAddress(0x7F0)));
  NocReadBarrier(0);
}
KERNEL(OtherNoc)
