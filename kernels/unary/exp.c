// TRISC1: exponentials. Argument: number of tiles.
#include "tile_sfpu_math.h"
#include "tile_unary.h"

UNARY_KERNEL(Exp, MathCopyTile, SfpuExpInit(), SFPU_TILE(SfpuExp()))
