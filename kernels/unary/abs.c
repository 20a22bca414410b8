// TRISC1: absolute values. Argument: number of tiles.
#include "tile_unary.h"

enum { SFPABS_FLOAT = 1 };

UNARY_KERNEL(Abs, MathCopyTile, ,
             SFPU_TILE(TTI(SFPABS, .lreg_c = SFPU_L0, .lreg_dest = SFPU_L0,
                           .instr_mod1 = SFPABS_FLOAT)))
