// NCRISC: puts a tile of weights (ones in the first row of every face) into circular buffer 1,
// once, and for every output tile its input tiles into circular buffer 0. Arguments: address, first
// output tile, number of output tiles, input tiles of each, step from one output's tiles to the
// next's, step from one input tile to the next.
#include "dram_pages.h"
#include "launch.h"
#include "pool_weights.h"

static void ReadGroups(void) {
  const struct interleaved_dram tensor = InterleavedDram(MyNoc(), Arg(0), CbPageSize(0));
  const u32 end = Arg(1) + Arg(2);
  CbPushPoolWeights(1, POOL_WEIGHT_ONE);
  for (u32 output = Arg(1); output < end; ++output) {
    for (u32 input = 0; input < Arg(3); ++input) {
      const u32 page = output * Arg(4) + input * Arg(5);
      CbReadPage(0, &tensor, page);
    }
  }
}

KERNEL(ReadGroups)
