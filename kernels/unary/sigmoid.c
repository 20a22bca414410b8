// TRISC1: 1 / (1 + exp(-x)). Argument: number of tiles.
#include "tile_sfpu_math.h"
#include "tile_unary.h"

UNARY_KERNEL(Sigmoid, MathCopyTile, SfpuExpInit(), SFPU_TILE(SfpuSigmoid()))
