// NCRISC: puts a tile of weights (ones in the first row of every face) into circular buffer 1,
// once, and for every output tile its input tiles into circular buffer 0. Arguments: address, first
// output tile, number of output tiles, input tiles of each, step from one output's tiles to the
// next's, step from one input tile to the next.
#include "cb.h"
#include "launch.h"
#include "noc.h"
#include "pool_weights.h"

static void ReadGroups(void) {
  const u32 noc = MyNoc();
  const struct interleaved_dram tensor = InterleavedDram(noc, Arg(0), CbPageSize(0));
  const u32 end = Arg(1) + Arg(2);
  CbPushPoolWeights(1, POOL_WEIGHT_ONE);
  for (u32 output = Arg(1); output < end; ++output) {
    for (u32 input = 0; input < Arg(3); ++input) {
      const u32 page = output * Arg(4) + input * Arg(5);
      CbReserveBack(0, 1);
      NocRead(noc, DramPageXy(&tensor, page), DramPageAddress(&tensor, page), CbWritePointer(0),
              CbPageSize(0));
      NocReadBarrier(noc);
      CbPushBack(0, 1);
    }
  }
}

KERNEL(ReadGroups)
