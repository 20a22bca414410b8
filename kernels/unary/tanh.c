// TRISC1: hyperbolic tangents, as 2 sigmoid(2 x) - 1. Argument: number of tiles.
#include "tile_sfpu_math.h"
#include "tile_unary.h"

UNARY_KERNEL(
    Tanh, MathCopyTile, SfpuExpInit(),
    SFPU_TILE(SfpuAdd(SFPU_L0, SFPU_L0, SFPU_L0); SfpuSigmoid(); SfpuAdd(SFPU_L0, SFPU_L0, SFPU_L0);
              SfpuMultiplyAdd(SFPU_CONST_ONE, SFPU_L0, SFPU_CONST_ONE, SFPU_L0, SFPMAD_NEGATE_C)))
