// TRISC1: square roots of positive numbers, as x / sqrt(x). Argument: number of tiles.
#include "tile_sfpu_math.h"
#include "tile_unary.h"

UNARY_KERNEL(Sqrt, MathCopyTile, SfpuReciprocalRootInit(),
             SFPU_TILE(SfpuReciprocalRoot(); SfpuMultiply(SFPU_L0, SFPU_L1, SFPU_L0)))
