// TRISC1: adds a scalar to every element. Argument: number of tiles; common argument: the scalar,
// as the bits of an f32.
#include "tile_unary.h"

UNARY_KERNEL(AddScalar, MathCopyTile, SfpuLoadScalar(SFPU_L1, CommonArg(0)),
             SFPU_TILE(SfpuAdd(SFPU_L0, SFPU_L1, SFPU_L0)))
