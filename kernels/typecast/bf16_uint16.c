// TRISC1: 16 bits without a sign of bf16, to nearest, ties up; kept within range (the rounding
// itself would drop the sign of negative numbers). Argument: number of tiles.
#define SFPU_STORE_MODE SFPU_UINT16
#include "tile_unary.h"

enum { SFP_STOCH_RND_TO_UINT16 = 6, SFPSWAP_LARGEST_TO_D = 9 };

UNARY_KERNEL(Convert, MathCopyTile, ,
             SFPU_TILE(TTI(SFPSWAP, .lreg_src_c = SFPU_CONST_ZERO, .lreg_dest = SFPU_L0,
                           .instr_mod1 = SFPSWAP_LARGEST_TO_D);
                       TTI(SFPNOP);
                       TTI(SFP_STOCH_RND, .lreg_src_c = SFPU_L0, .lreg_src_b = SFPU_L0,
                           .lreg_dest = SFPU_L0, .instr_mod1 = SFP_STOCH_RND_TO_UINT16)))
