// TRISC1: two's complement of fp32, cut towards zero; what does not fit becomes the
// largest number of its sign. Argument: number of tiles.
#define SFPU_STORE_MODE SFPU_INT32
#include "tile_unary.h"

enum { SFPEXEXP_ENABLE_NEGATIVE = 2, SFPSETCC_NEGATIVE = 0 };
enum { SFPSHFT_BY_C = 0, SFPIADD_IMMEDIATE = 5, SFPIADD_IMMEDIATE_ENABLE_POSITIVE = 9 };
enum { SFPIADD_C_MINUS_D = 6, F32_MANTISSA_BITS = 23, LARGEST = 0x7FFFFFFF };

#define ALL_LANES TTI(SFPENCC, .imm12_math = 3, .instr_mod1 = 10)

// L2 = int(L0): the mantissa shifted by the exponent, nothing below 1, the sign at last.
static void SfpuInteger(void) {
  TTI(SFPEXEXP, .lreg_c = SFPU_L0, .lreg_dest = SFPU_L1);
  TTI(SFPEXMAN, .lreg_c = SFPU_L0, .lreg_dest = SFPU_L2);
  TTI(SFPIADD, .lreg_c = SFPU_L1, .lreg_dest = SFPU_L3, .imm12_math = -F32_MANTISSA_BITS & 0xFFF,
      .instr_mod1 = SFPIADD_IMMEDIATE);
  TTI(SFPSHFT, .lreg_c = SFPU_L3, .lreg_dest = SFPU_L2, .instr_mod1 = SFPSHFT_BY_C);
  TTI(SFPIADD, .lreg_c = SFPU_L1, .lreg_dest = SFPU_L3, .imm12_math = -31 & 0xFFF,
      .instr_mod1 = SFPIADD_IMMEDIATE_ENABLE_POSITIVE);
  SfpuLoadConstant(SFPU_L2, LARGEST);
  ALL_LANES;
  TTI(SFPEXEXP, .lreg_c = SFPU_L0, .lreg_dest = SFPU_L1, .instr_mod1 = SFPEXEXP_ENABLE_NEGATIVE);
  SfpuLoadConstant(SFPU_L2, 0);
  ALL_LANES;
  TTI(SFPSETCC, .lreg_c = SFPU_L0, .instr_mod1 = SFPSETCC_NEGATIVE);
  TTI(SFPIADD, .lreg_c = SFPU_CONST_ZERO, .lreg_dest = SFPU_L2, .instr_mod1 = SFPIADD_C_MINUS_D);
  ALL_LANES;
}

UNARY_KERNEL(Convert, MathAwaitUnpackToDst, ALL_LANES,
             SFPU_TILE(SfpuInteger(); TTI(SFPMOV, .lreg_c = SFPU_L2, .lreg_dest = SFPU_L0)))
