// TRISC1: copies tiles from SrcA to Dst. Argument: number of tiles.
#include "tile_unary.h"

UNARY_KERNEL(CopyTiles, MathCopyTile, , )
