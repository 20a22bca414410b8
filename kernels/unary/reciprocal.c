// TRISC1: reciprocals. Argument: number of tiles.
#include "tile_sfpu_math.h"
#include "tile_unary.h"

UNARY_KERNEL(Reciprocal, MathCopyTile, , SFPU_TILE(SfpuReciprocal()))
