// A condition chooses lanes for one row and is never ended, so that the rows after it are worked on
// in those lanes only.
#include "tile_unary.h"

#define ALL_LANES() TTI(SFPENCC, .imm12_math = 3, .instr_mod1 = 10)

GUEST_INLINE void ClampRow(void) {
  TTI(SFPSETCC, .lreg_c = SFPU_L0, .instr_mod1 = 0);  // HERE
  TTI(SFPLOADI, .lreg_ind = SFPU_L0, .instr_mod0 = 0, .imm16 = 0);
#ifdef MENDED
  ALL_LANES();
#endif
}

UNARY_KERNEL(Clamp, MathCopyTile, ALL_LANES(), SFPU_TILE(ClampRow()))
