// TRISC1: copies tiles that come in one piece. Argument: number of tiles.
#include "launch.h"
#include "tile_math.h"

static void CopyWholeTiles(void) {
  MathStart();
  CopyInitUnits(1);
  for (u32 tiles = Arg(0); tiles != 0; --tiles) {
    MathAcquireDst();
    MathCopyTile();
    MathReleaseDst();
  }
}

KERNEL(CopyWholeTiles)
