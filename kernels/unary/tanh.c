// TRISC1: hyperbolic tangents, as 2 sigmoid(2 x) - 1. Argument: number of tiles.
#include "launch.h"
#include "tile_sfpu_math.h"

static void Tanh(void) {
  MathStart();
  CopyInit();
  SfpuExpInit();
  for (u32 tiles = Arg(0); tiles != 0; --tiles) {
    MathAcquireDst();
    MathCopyTile();
    SFPU_TILE(SfpuAdd(SFPU_L0, SFPU_L0, SFPU_L0); SfpuSigmoid(); SfpuAdd(SFPU_L0, SFPU_L0, SFPU_L0);
              SfpuMultiplyAdd(SFPU_CONST_ONE, SFPU_L0, SFPU_CONST_ONE, SFPU_L0, SFPMAD_NEGATE_C));
    MathReleaseDst();
  }
}

KERNEL(Tanh)
