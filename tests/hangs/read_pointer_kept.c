// BRISC works out once where the first page lies, and sends that one for every page.
#include "dram_pages.h"
#include "launch.h"

static void WriteAll(void) {
  const struct interleaved_dram tensor = InterleavedDram(MyNoc(), Arg(0), 2048);
  u32 data = CbReadPointer(16);
  for (u32 page = 0; page < 8; ++page) {
    CbWaitFront(16, 1);
#ifdef MENDED
    data = CbReadPointer(16);
#endif
    const u32 xy = DramPageXy(&tensor, page);
    NocWrite(tensor.noc, data, xy, DramPageAddress(&tensor, page), 2048);  // HERE
    NocWriteBarrier(tensor.noc);
    CbPopFront(16, 1);
  }
}
KERNEL(WriteAll)
