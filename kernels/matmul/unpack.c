// TRISC0: pairs of tiles for products, the left operand (circular buffer 0) to SrcB, the right one
// (1) to SrcA. Arguments: number of output tiles, tiles of the inner dimension.
#include "launch.h"
#include "tile_unpack_pair.h"

static void UnpackOperands(void) {
  struct unpacker unpacker = UnpackPairInit(UNPACK_WHOLE_TILES);
  for (u32 pairs = Arg(0) * Arg(1); pairs != 0; --pairs) UnpackPair(&unpacker, 1, 0, 0);
}

KERNEL(UnpackOperands)
