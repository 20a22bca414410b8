// TRISC1: exponentials. Argument: number of tiles.
#include "launch.h"
#include "tile_sfpu_math.h"

static void Exp(void) {
  MathStart();
  CopyInit();
  SfpuExpInit();
  for (u32 tiles = Arg(0); tiles != 0; --tiles) {
    MathAcquireDst();
    MathCopyTile();
    SFPU_TILE(SfpuExp());
    MathReleaseDst();
  }
}

KERNEL(Exp)
