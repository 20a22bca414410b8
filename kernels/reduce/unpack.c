// TRISC0: tiles of circular buffer 0 to SrcA, the weights of circular buffer 1 to SrcB with each.
// Arguments: number of output tiles, input tiles of each. REDUCE_TRANSPOSES: 1 for sums of rows, as
// the matrix unit pools over rows of SrcA.
#include "launch.h"
#include "tile_unpack_pair.h"

static void UnpackGroups(void) {
  struct unpacker unpacker = UnpackPairInit(UNPACK_FACES);
  UnpackTransposeFaces(REDUCE_TRANSPOSES);
  for (u32 tiles = Arg(0) * Arg(1); tiles != 0; --tiles) UnpackPair(&unpacker, 0, 1, KEEP_SRCB);
}

KERNEL(UnpackGroups)
