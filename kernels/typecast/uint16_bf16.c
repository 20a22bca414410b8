// TRISC1: bf16 of 16 bits without a sign; the store cuts. Argument: number of tiles.
#define SFPU_LOAD_MODE SFPU_UINT16
#include "tile_unary.h"

enum { SFPCAST_TO_FP32 = 0 };

UNARY_KERNEL(Convert, MathCopyTile, ,
             SFPU_TILE(TTI(SFPCAST, .lreg_src_c = SFPU_L0, .lreg_dest = SFPU_L0,
                           .instr_mod1 = SFPCAST_TO_FP32)))
