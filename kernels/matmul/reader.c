// NCRISC: for every output tile reads a row of tiles of the left operand to circular buffer 0 and a
// column of the right one to circular buffer 1. Arguments: addresses of both, first output tile,
// number of output tiles, tiles of the inner dimension, tiles in a row of the output.
#include "dram_pages.h"
#include "launch.h"

static void ReadOperands(void) {
  const u32 noc = MyNoc();
  const struct interleaved_dram left = InterleavedDram(noc, Arg(0), CbPageSize(0));
  const struct interleaved_dram right = InterleavedDram(noc, Arg(1), CbPageSize(1));
  const u32 end = Arg(2) + Arg(3);
  const u32 inner = Arg(4);
  const u32 columns = Arg(5);
  for (u32 tile = Arg(2); tile < end; ++tile) {
    const u32 row = tile / columns;
    const u32 column = tile % columns;
    for (u32 k = 0; k < inner; ++k) {
      CbReadPage(0, &left, row * inner + k);
      CbReadPage(1, &right, k * columns + column);
    }
  }
}

KERNEL(ReadOperands)
