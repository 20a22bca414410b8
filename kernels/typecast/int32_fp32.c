// TRISC1: fp32 of two's complement, to nearest even. Argument: number of tiles.
#define SFPU_LOAD_MODE SFPU_INT32
#include "tile_unary.h"

enum { SFPCAST_TO_FP32 = 0, SFPCAST_SIGN_FORM = 3 };

UNARY_KERNEL(Convert, MathAwaitUnpackToDst, ,
             SFPU_TILE(TTI(SFPCAST, .lreg_src_c = SFPU_L0, .lreg_dest = SFPU_L0,
                           .instr_mod1 = SFPCAST_SIGN_FORM);
                       TTI(SFPCAST, .lreg_src_c = SFPU_L0, .lreg_dest = SFPU_L0,
                           .instr_mod1 = SFPCAST_TO_FP32)))
