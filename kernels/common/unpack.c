// TRISC0: unpacks tiles from circular buffer 0. Argument: number of tiles.
#include "launch.h"
#include "tile_unpack.h"

static void UnpackTiles(void) {
  struct unpacker unpacker = UnpackInit();
  for (u32 tiles = Arg(0); tiles != 0; --tiles) UnpackTile(&unpacker, 0);
}

KERNEL(UnpackTiles)
