// TRISC1: functions of all lanes of L0, right to about 2^-14. L1 and L2 are scratch; what else a
// function needs is set once before.
#pragma once
#include "tile_sfpu.h"

enum { SFPSHFT_IMMEDIATE_OF_C = 5, SFPIADD_SUM = 4, SFPIADD_C_MINUS_D = 6 };
enum { SFPSWAP_LEAST_TO_D = 1, SFPSWAP_LARGEST_TO_D = 9, SFPMOV_NEGATE = 1 };

// L0 = 1 / L0: the unit's own estimate y (7 bits) and two Newton steps y = y + y (1 - x y).
GUEST_INLINE void SfpuReciprocal(void) {
  TTI(SFPARECIP, .lreg_c = SFPU_L0, .lreg_dest = SFPU_L1);
  for (u32 step = 0; step < 2; ++step) {
    SfpuMultiplyAdd(SFPU_L0, SFPU_L1, SFPU_CONST_ONE, SFPU_L2, SFPMAD_NEGATE_A);
    SfpuMultiplyAdd(SFPU_L1, SFPU_L2, SFPU_L1, SFPU_L1, 0);
  }
  TTI(SFPMOV, .lreg_c = SFPU_L1, .lreg_dest = SFPU_L0);
}

// Constants of SfpuReciprocalRoot: L4 to L6.
GUEST_INLINE void SfpuReciprocalRootInit(void) {
  SfpuLoadConstant(SFPU_L4, 0x5F3759DF);  // what makes an estimate of the bits of x
  SfpuLoadConstant(SFPU_L5, 0x3F000000);  // 1/2
  SfpuLoadConstant(SFPU_L6, 0x3FC00000);  // 3/2
}

// L1 = 1 / sqrt(L0) for positive numbers, L0 stays: an estimate y from the bits of x, three Newton
// steps y = y (3/2 - x/2 y y). L3 is scratch too.
GUEST_INLINE void SfpuReciprocalRoot(void) {
  TTI(SFPSHFT, .lreg_c = SFPU_L0, .lreg_dest = SFPU_L1, .imm12_math = 0xFFF,
      .instr_mod1 = SFPSHFT_IMMEDIATE_OF_C);
  TTI(SFPIADD, .lreg_c = SFPU_L4, .lreg_dest = SFPU_L1, .instr_mod1 = SFPIADD_C_MINUS_D);
  SfpuMultiply(SFPU_L0, SFPU_L5, SFPU_L2);
  for (u32 step = 0; step < 3; ++step) {
    SfpuMultiply(SFPU_L2, SFPU_L1, SFPU_L3);
    SfpuMultiplyAdd(SFPU_L3, SFPU_L1, SFPU_L6, SFPU_L3, SFPMAD_NEGATE_A);
    SfpuMultiply(SFPU_L1, SFPU_L3, SFPU_L1);
  }
}

// Constants of SfpuExp: L4 to L7 and L11 to L14.
GUEST_INLINE void SfpuExpInit(void) {
  SfpuSetConstant(SFPU_L11, 0x3FB8AA3B);  // log2(e)
  SfpuSetConstant(SFPU_L12, 0x4B400000);  // 1.5 * 2^23: adding it rounds to a whole number
  SfpuSetConstant(SFPU_L13, 0xC2AE0000);  // -87, the least whose exponential is a normal number
  SfpuSetConstant(SFPU_L14, 0x42B00000);  // 88
  SfpuLoadConstant(SFPU_L4, 0x3C1D955B);  // ln(2)^k / k!, k from 4 to 1
  SfpuLoadConstant(SFPU_L5, 0x3D635847);
  SfpuLoadConstant(SFPU_L6, 0x3E75FDF0);
  SfpuLoadConstant(SFPU_L7, 0x3F317218);
}

// L0 = exp(L0) for numbers kept within -87 and 88: 2^k 2^r, k whole, by four terms of the series.
GUEST_INLINE void SfpuExp(void) {
  TTI(SFPSWAP, .lreg_src_c = SFPU_L13, .lreg_dest = SFPU_L0, .instr_mod1 = SFPSWAP_LARGEST_TO_D);
  TTI(SFPNOP);
  TTI(SFPSWAP, .lreg_src_c = SFPU_L14, .lreg_dest = SFPU_L0, .instr_mod1 = SFPSWAP_LEAST_TO_D);
  TTI(SFPNOP);
  // The sum's lowest bits are k; without the summand they are k as a number.
  SfpuMultiplyAdd(SFPU_L0, SFPU_L11, SFPU_L12, SFPU_L1, 0);
  SfpuMultiplyAdd(SFPU_CONST_ONE, SFPU_L1, SFPU_L12, SFPU_L2, SFPMAD_NEGATE_C);
  SfpuMultiplyAdd(SFPU_L0, SFPU_L11, SFPU_L2, SFPU_L2, SFPMAD_NEGATE_C);
  SfpuMultiplyAdd(SFPU_L4, SFPU_L2, SFPU_L5, SFPU_L0, 0);
  SfpuMultiplyAdd(SFPU_L0, SFPU_L2, SFPU_L6, SFPU_L0, 0);
  SfpuMultiplyAdd(SFPU_L0, SFPU_L2, SFPU_L7, SFPU_L0, 0);
  SfpuMultiplyAdd(SFPU_L0, SFPU_L2, SFPU_CONST_ONE, SFPU_L0, 0);
  // k goes to the exponent.
  TTI(SFPSHFT, .lreg_c = SFPU_L1, .lreg_dest = SFPU_L1, .imm12_math = 23,
      .instr_mod1 = SFPSHFT_IMMEDIATE_OF_C);
  TTI(SFPIADD, .lreg_c = SFPU_L1, .lreg_dest = SFPU_L0, .instr_mod1 = SFPIADD_SUM);
}

// L0 = 1 / (1 + exp(-L0)). Constants as SfpuExp.
GUEST_INLINE void SfpuSigmoid(void) {
  TTI(SFPMOV, .lreg_c = SFPU_L0, .lreg_dest = SFPU_L0, .instr_mod1 = SFPMOV_NEGATE);
  SfpuExp();
  SfpuAdd(SFPU_L0, SFPU_CONST_ONE, SFPU_L0);
  SfpuReciprocal();
}
