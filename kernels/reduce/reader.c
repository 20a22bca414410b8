// NCRISC: puts a tile of weights (ones in the first row of every face) into circular buffer 1,
// once, and for every output tile its input tiles into circular buffer 0. Arguments: address, first
// output tile, number of output tiles, input tiles of each, step from one output's tiles to the
// next's, step from one input tile to the next.
#include "cb.h"
#include "launch.h"
#include "noc.h"

enum { FACE_BYTES = 512, FACE_ROW_BYTES = 32, TILE_BYTES = 2048, BF16_ONES = 0x3F803F80 };

static void WriteWeights(void) {
  CbReserveBack(1, 1);
  const u32 tile = CbWritePointer(1);
  for (u32 at = 0; at < TILE_BYTES; at += 4) {
    Write32(tile + at, at % FACE_BYTES < FACE_ROW_BYTES ? BF16_ONES : 0);
  }
  Fence();
  CbPushBack(1, 1);
}

static void ReadGroups(void) {
  const u32 noc = MyNoc();
  const struct interleaved_dram tensor = InterleavedDram(noc, Arg(0), CbPageSize(0));
  const u32 end = Arg(1) + Arg(2);
  WriteWeights();
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
