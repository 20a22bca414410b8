// TRISC1: x times the normal distribution at x as x/2 + f(|x|), f by a table of six straight lines
// (bounds 1/2, 1, 3/2, 2, 3), which are right to 0.012. Argument: number of tiles.
#include "tile_unary.h"

enum { SFPLUTFP32_SIX_LINES = 2, F32_HALF = 0x3F000000 };

// Two lines in each pair of registers, the further one in the upper halves, all fp16 (0x7C00 is
// zero): L0, L1, L2 have the slopes, L4, L5, L6 the values at 0. Each line leaves the same error on
// both sides of f.
static void LoadLines(void) {
  SfpuLoadConstant(SFPU_L0, 0x37DC3220);
  SfpuLoadConstant(SFPU_L1, 0x38E038EF);
  SfpuLoadConstant(SFPU_L2, 0x38003855);
  SfpuLoadConstant(SFPU_L4, 0xB103A1EE);
  SfpuLoadConstant(SFPU_L5, 0xB435B46D);
  SfpuLoadConstant(SFPU_L6, 0x7C00AFEE);
}

UNARY_KERNEL(GeluByTable, MathCopyTile, SfpuSetConstant(SFPU_L11, F32_HALF);
             LoadLines(),
             SFPU_TILE_IN(SFPU_L3,
                          TTI(SFPLUTFP32, .lreg_dest = SFPU_L7, .instr_mod1 = SFPLUTFP32_SIX_LINES);
                          TTI(SFPNOP); SfpuMultiplyAdd(SFPU_L3, SFPU_L11, SFPU_L7, SFPU_L3, 0)))
