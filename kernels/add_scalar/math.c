// TRISC1: adds a scalar to every element. Argument: number of tiles; common argument: the scalar,
// as the bits of an f32.
#include "launch.h"
#include "tile_sfpu.h"

static void AddScalar(void) {
  MathStart();
  CopyInit();
  SfpuLoadScalar(SFPU_L1, CommonArg(0));
  for (u32 tiles = Arg(0); tiles != 0; --tiles) {
    MathAcquireDst();
    MathCopyTile();
    SFPU_TILE(SfpuAdd(SFPU_L0, SFPU_L1, SFPU_L0));
    MathReleaseDst();
  }
}

KERNEL(AddScalar)
