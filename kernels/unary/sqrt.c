// TRISC1: square roots of positive numbers: an estimate of 1 / sqrt(x) from the bits of x, three
// Newton steps y = y (3/2 - x/2 y y), and x y. Argument: number of tiles.
#include "launch.h"
#include "tile_sfpu.h"

enum { SFPU_L5 = 5, SFPU_L6 = 6 };
enum { RSQRT_MAGIC = 0x5F3759DF, F32_HALF = 0x3F000000, F32_THREE_HALVES = 0x3FC00000 };
enum { SFPSHFT_IMMEDIATE_OF_C = 5, SFPIADD_C_MINUS_D = 6, SFPMAD_NEGATE_A = 1 };

#define MULTIPLY(a, b, to)                                                         \
  TTI(SFPMUL, .lreg_src_a = (a), .lreg_src_b = (b), .lreg_src_c = SFPU_CONST_ZERO, \
      .lreg_dest = (to));                                                          \
  TTI(SFPNOP)

// L6 is x / 2, L1 the estimate, L3 scratch.
#define NEWTON_STEP                                                                \
  MULTIPLY(SFPU_L6, SFPU_L1, SFPU_L3);                                             \
  TTI(SFPMAD, .lreg_src_a = SFPU_L3, .lreg_src_b = SFPU_L1, .lreg_src_c = SFPU_L5, \
      .lreg_dest = SFPU_L3, .instr_mod1 = SFPMAD_NEGATE_A);                        \
  TTI(SFPNOP);                                                                     \
  MULTIPLY(SFPU_L1, SFPU_L3, SFPU_L1)

static void Sqrt(void) {
  MathStart();
  CopyInit();
  SfpuLoadConstant(SFPU_L2, RSQRT_MAGIC);
  SfpuLoadConstant(SFPU_L4, F32_HALF);
  SfpuLoadConstant(SFPU_L5, F32_THREE_HALVES);
  for (u32 tiles = Arg(0); tiles != 0; --tiles) {
    MathAcquireDst();
    MathCopyTile();
    SFPU_TILE(
        TTI(SFPSHFT, .lreg_c = SFPU_L0, .lreg_dest = SFPU_L1, .imm12_math = 0xFFF,
            .instr_mod1 = SFPSHFT_IMMEDIATE_OF_C);
        TTI(SFPIADD, .lreg_c = SFPU_L2, .lreg_dest = SFPU_L1, .instr_mod1 = SFPIADD_C_MINUS_D);
        MULTIPLY(SFPU_L0, SFPU_L4, SFPU_L6); NEWTON_STEP; NEWTON_STEP; NEWTON_STEP;
        MULTIPLY(SFPU_L0, SFPU_L1, SFPU_L0));
    MathReleaseDst();
  }
}

KERNEL(Sqrt)
