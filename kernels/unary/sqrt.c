// TRISC1: square roots of positive numbers, as x / sqrt(x). Argument: number of tiles.
#include "launch.h"
#include "tile_sfpu_math.h"

static void Sqrt(void) {
  MathStart();
  CopyInit();
  SfpuReciprocalRootInit();
  for (u32 tiles = Arg(0); tiles != 0; --tiles) {
    MathAcquireDst();
    MathCopyTile();
    SFPU_TILE(SfpuReciprocalRoot(); SfpuMultiply(SFPU_L0, SFPU_L1, SFPU_L0));
    MathReleaseDst();
  }
}

KERNEL(Sqrt)
