// Reads blocks of 32 rows of a matrix, each row a page in DRAM, into circular buffer 0, a page a
// block. Arguments: address, first block, number of blocks.
#include "cb.h"
#include "launch.h"
#include "noc.h"

enum { BLOCK_ROWS = 32 };

static void ReadRows(void) {
  const u32 noc = MyNoc();
  const u32 row_bytes = CbPageSize(0) / BLOCK_ROWS;
  const struct interleaved_dram tensor = InterleavedDram(noc, Arg(0), row_bytes);
  for (u32 block = Arg(1); block < Arg(1) + Arg(2); ++block) {
    CbReserveBack(0, 1);
    for (u32 row = 0; row < BLOCK_ROWS; ++row) {
      const u32 page = block * BLOCK_ROWS + row;
      NocRead(noc, DramPageXy(&tensor, page), DramPageAddress(&tensor, page),
              CbWritePointer(0) + row * row_bytes, row_bytes);
    }
    NocReadBarrier(noc);
    CbPushBack(0, 1);
  }
}

KERNEL(ReadRows)
