// Reads the same pages of two interleaved tensors into circular buffers 0 and 1. Arguments: both
// addresses, first page, number of pages.
#include "dram_pages.h"
#include "launch.h"

static void ReadPairs(void) {
  const u32 noc = MyNoc();
  const struct interleaved_dram left = InterleavedDram(noc, Arg(0), CbPageSize(0));
  const struct interleaved_dram right = InterleavedDram(noc, Arg(1), CbPageSize(1));
  const u32 end = Arg(2) + Arg(3);
  for (u32 page = Arg(2); page < end; ++page) {
    CbReadPage(0, &left, page);
    CbReadPage(1, &right, page);
  }
}

KERNEL(ReadPairs)
