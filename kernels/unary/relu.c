// TRISC1: zero in the place of negative numbers. Argument: number of tiles.
#include "launch.h"
#include "tile_sfpu.h"

enum { SFPSETCC_NEGATIVE = 0, SFPLOADI_BF16 = 0 };

static void Relu(void) {
  MathStart();
  CopyInit();
  TTI(SFPENCC, .imm12_math = 3, .instr_mod1 = 10);
  for (u32 tiles = Arg(0); tiles != 0; --tiles) {
    MathAcquireDst();
    MathCopyTile();
    // Lanes that are not negative sit out while the others load zero.
    SFPU_TILE(TTI(SFPSETCC, .lreg_c = SFPU_L0, .instr_mod1 = SFPSETCC_NEGATIVE);
              TTI(SFPLOADI, .lreg_ind = SFPU_L0, .instr_mod0 = SFPLOADI_BF16, .imm16 = 0);
              TTI(SFPENCC, .imm12_math = 3, .instr_mod1 = 10));
    MathReleaseDst();
  }
}

KERNEL(Relu)
