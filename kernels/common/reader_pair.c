// Reads the same pages of two interleaved tensors into circular buffers 0 and 1. Arguments: both
// addresses, first page, number of pages.
#include "cb.h"
#include "launch.h"
#include "noc.h"

static void ReadPairs(void) {
  const u32 noc = MyNoc();
  const u32 end = Arg(2) + Arg(3);
  for (u32 page = Arg(2); page < end; ++page) {
    for (u32 cb = 0; cb < 2; ++cb) {
      const struct interleaved_dram tensor = InterleavedDram(noc, Arg(cb), CbPageSize(cb));
      CbReserveBack(cb, 1);
      NocRead(noc, DramPageXy(&tensor, page), DramPageAddress(&tensor, page), CbWritePointer(cb),
              CbPageSize(cb));
      NocReadBarrier(noc);
      CbPushBack(cb, 1);
    }
  }
}

KERNEL(ReadPairs)
