// TRISC0: tiles of circular buffer 0 to SrcA together with tiles of 1 to SrcB. Argument: number of
// tiles.
#include "launch.h"
#include "tile_unpack_pair.h"

static void UnpackOperands(void) {
  struct unpacker unpacker = UnpackPairInit(UNPACK_FACES);
  for (u32 tiles = Arg(0); tiles != 0; --tiles) UnpackPair(&unpacker, 0, 1, 0);
}

KERNEL(UnpackOperands)
