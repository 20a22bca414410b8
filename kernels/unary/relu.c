// TRISC1: zero in the place of negative numbers. Argument: number of tiles.
#include "tile_unary.h"

enum { SFPSETCC_NEGATIVE = 0, SFPLOADI_BF16 = 0 };

#define ALL_LANES TTI(SFPENCC, .imm12_math = 3, .instr_mod1 = 10)

// Lanes that are not negative sit out while the others load zero.
UNARY_KERNEL(Relu, MathCopyTile, ALL_LANES,
             SFPU_TILE(TTI(SFPSETCC, .lreg_c = SFPU_L0, .instr_mod1 = SFPSETCC_NEGATIVE);
                       TTI(SFPLOADI, .lreg_ind = SFPU_L0, .instr_mod0 = SFPLOADI_BF16, .imm16 = 0);
                       ALL_LANES))
