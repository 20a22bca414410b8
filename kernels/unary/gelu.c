// TRISC1: x times the normal distribution at x, by the usual formula x sigmoid(1.5958 (x + 0.0447
// x^3)). Argument: number of tiles.
#include "tile_sfpu_math.h"
#include "tile_unary.h"

enum { F32_SLOPE = 0x3FCC422A, F32_SLOPE_OF_CUBE = 0x3D922279 };  // 2 sqrt(2/pi), times 0.044715

UNARY_KERNEL(Gelu, MathCopyTile, SfpuExpInit(),
             SFPU_TILE_IN(SFPU_L3, SfpuMultiply(SFPU_L3, SFPU_L3, SFPU_L0);
                          SfpuLoadConstant(SFPU_L1, F32_SLOPE_OF_CUBE);
                          SfpuLoadConstant(SFPU_L2, F32_SLOPE);
                          SfpuMultiplyAdd(SFPU_L0, SFPU_L1, SFPU_L2, SFPU_L0, 0);
                          SfpuMultiply(SFPU_L0, SFPU_L3, SFPU_L0); SfpuSigmoid();
                          SfpuMultiply(SFPU_L0, SFPU_L3, SFPU_L3)))
