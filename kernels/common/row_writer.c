// Writes blocks of 32 rows of a matrix from circular buffer 16, a page a block, to DRAM, a page a
// row. Arguments: address, first block, number of blocks.
#include "cb.h"
#include "launch.h"
#include "noc.h"

enum { BLOCK_ROWS = 32 };

static void WriteRows(void) {
  const u32 noc = MyNoc();
  const u32 row_bytes = CbPageSize(16) / BLOCK_ROWS;
  const struct interleaved_dram tensor = InterleavedDram(noc, Arg(0), row_bytes);
  for (u32 block = Arg(1); block < Arg(1) + Arg(2); ++block) {
    CbWaitFront(16, 1);
    for (u32 row = 0; row < BLOCK_ROWS; ++row) {
      const u32 page = block * BLOCK_ROWS + row;
      NocWrite(noc, CbReadPointer(16) + row * row_bytes, DramPageXy(&tensor, page),
               DramPageAddress(&tensor, page), row_bytes);
    }
    NocWriteBarrier(noc);
    CbPopFront(16, 1);
  }
}

KERNEL(WriteRows)
