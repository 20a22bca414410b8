// TRISC1: reciprocals. Argument: number of tiles.
#include "launch.h"
#include "tile_sfpu_math.h"

static void Reciprocal(void) {
  MathStart();
  CopyInit();
  for (u32 tiles = Arg(0); tiles != 0; --tiles) {
    MathAcquireDst();
    MathCopyTile();
    SFPU_TILE(SfpuReciprocal());
    MathReleaseDst();
  }
}

KERNEL(Reciprocal)
