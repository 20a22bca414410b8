// TRISC1: adds a scalar to every element. Argument: number of tiles; common argument: the scalar,
// as the bits of an f32.
#include "launch.h"
#include "tile_math.h"

static void AddScalar(void) {
  MathStart();
  CopyInit();
  SfpuLoadScalar(CommonArg(0));
  for (u32 tiles = Arg(0); tiles != 0; --tiles) {
    MathAcquireDst();
    MathCopyTile();
    SfpuAddScalarTile();
    MathReleaseDst();
  }
}

KERNEL(AddScalar)
