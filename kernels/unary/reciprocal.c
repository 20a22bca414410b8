// TRISC1: reciprocals, from the unit's own estimate (7 bits) and two Newton steps
// y = y (2 - x y). Argument: number of tiles.
#include "launch.h"
#include "tile_sfpu.h"

enum { F32_TWO = 0x40000000, SFPMAD_NEGATE_A = 1 };

// L1 = L1 (L2 - L0 L1)
#define NEWTON_STEP                                                                        \
  TTI(SFPMAD, .lreg_src_a = SFPU_L0, .lreg_src_b = SFPU_L1, .lreg_src_c = SFPU_L2,         \
      .lreg_dest = SFPU_L3, .instr_mod1 = SFPMAD_NEGATE_A);                                \
  TTI(SFPNOP);                                                                             \
  TTI(SFPMUL, .lreg_src_a = SFPU_L1, .lreg_src_b = SFPU_L3, .lreg_src_c = SFPU_CONST_ZERO, \
      .lreg_dest = SFPU_L1);                                                               \
  TTI(SFPNOP)

static void Reciprocal(void) {
  MathStart();
  CopyInit();
  SfpuLoadConstant(SFPU_L2, F32_TWO);
  for (u32 tiles = Arg(0); tiles != 0; --tiles) {
    MathAcquireDst();
    MathCopyTile();
    SFPU_TILE(TTI(SFPARECIP, .lreg_c = SFPU_L0, .lreg_dest = SFPU_L1); NEWTON_STEP; NEWTON_STEP;
              TTI(SFPMOV, .lreg_c = SFPU_L1, .lreg_dest = SFPU_L0));
    MathReleaseDst();
  }
}

KERNEL(Reciprocal)
