// TRISC1: exponentials of small numbers (up to about 4 either way): five terms of the series for a
// quarter of x, squared twice. Argument: number of tiles.
#include "launch.h"
#include "tile_sfpu.h"

enum { SFPU_L5 = 5, SFPU_L6 = 6 };
enum {
  F32_QUARTER = 0x3E800000,
  F32_HALF = 0x3F000000,
  F32_SIXTH = 0x3E2AAAAB,
  F32_24TH = 0x3D2AAAAB,
  F32_120TH = 0x3C088889
};

// L0 = L0 L1 + c
#define HORNER_STEP(c)                                                         \
  TTI(SFPMAD, .lreg_src_a = SFPU_L0, .lreg_src_b = SFPU_L1, .lreg_src_c = (c), \
      .lreg_dest = SFPU_L0);                                                   \
  TTI(SFPNOP)

#define MULTIPLY(a, b, to)                                                         \
  TTI(SFPMUL, .lreg_src_a = (a), .lreg_src_b = (b), .lreg_src_c = SFPU_CONST_ZERO, \
      .lreg_dest = (to));                                                          \
  TTI(SFPNOP)

static void Exp(void) {
  MathStart();
  CopyInit();
  SfpuLoadConstant(SFPU_L2, F32_QUARTER);
  SfpuLoadConstant(SFPU_L3, F32_120TH);
  SfpuLoadConstant(SFPU_L4, F32_24TH);
  SfpuLoadConstant(SFPU_L5, F32_SIXTH);
  SfpuLoadConstant(SFPU_L6, F32_HALF);
  for (u32 tiles = Arg(0); tiles != 0; --tiles) {
    MathAcquireDst();
    MathCopyTile();
    SFPU_TILE(MULTIPLY(SFPU_L0, SFPU_L2, SFPU_L1);
              TTI(SFPMOV, .lreg_c = SFPU_L3, .lreg_dest = SFPU_L0); HORNER_STEP(SFPU_L4);
              HORNER_STEP(SFPU_L5); HORNER_STEP(SFPU_L6); HORNER_STEP(SFPU_CONST_ONE);
              HORNER_STEP(SFPU_CONST_ONE); MULTIPLY(SFPU_L0, SFPU_L0, SFPU_L0);
              MULTIPLY(SFPU_L0, SFPU_L0, SFPU_L0));
    MathReleaseDst();
  }
}

KERNEL(Exp)
