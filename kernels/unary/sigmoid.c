// TRISC1: 1 / (1 + exp(-x)). Argument: number of tiles.
#include "launch.h"
#include "tile_sfpu_math.h"

static void Sigmoid(void) {
  MathStart();
  CopyInit();
  SfpuExpInit();
  for (u32 tiles = Arg(0); tiles != 0; --tiles) {
    MathAcquireDst();
    MathCopyTile();
    SFPU_TILE(SfpuSigmoid());
    MathReleaseDst();
  }
}

KERNEL(Sigmoid)
