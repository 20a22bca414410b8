// TRISC0: unpacks tiles of 32 bits from circular buffer 0 to Dst. Argument: number of tiles.
#include "launch.h"
#include "tile_unpack_dst.h"

static void UnpackTiles(void) {
  struct unpacker unpacker = UnpackToDstInit();
  for (u32 tiles = Arg(0); tiles != 0; --tiles) UnpackTileToDst(&unpacker, 0);
}

KERNEL(UnpackTiles)
