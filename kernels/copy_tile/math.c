// TRISC1: copies tiles from SrcA to Dst. Argument: number of tiles.
#include "launch.h"
#include "tile_math.h"

static void CopyTiles(void) {
  MathStart();
  CopyInit();
  for (u32 tiles = Arg(0); tiles != 0; --tiles) {
    MathAcquireDst();
    MathCopyTile();
    MathReleaseDst();
  }
}

KERNEL(CopyTiles)
