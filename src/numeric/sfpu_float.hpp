// Floating point of the vector unit, one lane: the partially fused multiply-add, the order of
// comparisons, the small formats of its lookup tables, and the approximations of SFPARECIP.
//
// Documents: tt-isa-documentation BlackholeA0 SFPMAD.md (IEEE754 conformance), SFPSWAP.md,
// SFPLUT.md, SFPLUTFP32.md, SFPARECIP.md; the multiply-add by experiment with tenstorrent/ttsim
// 1.10.0 on 0.8 million operand sets. Integer arithmetic only. The baby RISC-V cores have the same
// multiply-add (riscv_float.hpp).
#pragma once

#include "base/types.hpp"

namespace bhemu::numeric {

inline constexpr u32 kFp32Sign = 0x80000000;
inline constexpr u32 kFp32Infinity = 0x7F800000;
inline constexpr u32 kFp32Nan = 0x7FC00000;
inline constexpr u32 kFp32One = 0x3F800000;

constexpr u32 fp32_exponent(u32 v) {
  return (v >> 23) & 0xFF;
}
constexpr u32 fp32_fraction(u32 v) {
  return v & 0x7FFFFF;
}

/// The last step of the multiply-add: `magnitude` (not 0), of which 2^26 stands for 1.0 at exponent
/// `base`, rounded to nearest even.
u32 sfpu_normalise(u32 sign, u64 magnitude, i32 base);

/// x * y + z. The product keeps 26 fraction bits and a sticky bit; denormals are zero going in and
/// flushed (sign kept) coming out; NaN results are 7FC00000; one rounding, to nearest even.
u32 sfpu_mul_add(u32 x, u32 y, u32 z);

/// Maps FP32 or sign-magnitude integers to two's complement in the order
/// -NaN < -Inf < ... < -0 < +0 < ... < +Inf < +NaN.
constexpr i32 sfpu_order_key(u32 v) {
  return static_cast<i32>(v ^ (static_cast<u32>(static_cast<i32>(v) >> 30) >> 1));
}
constexpr bool sfpu_is_smaller(u32 a, u32 b) {
  return sfpu_order_key(a) < sfpu_order_key(b);
}

/// Coefficients of SFPLUT: sign, exponent counted down from 127, 4 mantissa bits; FF is 0.
constexpr u32 fp32_of_lut8(u32 x) {
  x &= 0xFF;
  if (x == 0xFF) return 0;
  return (x >> 7) << 31 | (127 - ((x >> 4) & 7)) << 23 | (x & 0xF) << 19;
}
/// Coefficients of SFPLUTFP32: FP16 where exponent 0 is an ordinary number and exponent 31 is zero.
constexpr u32 fp32_of_lut16(u32 x) {
  const u32 exponent = (x >> 10) & 0x1F;
  return ((x >> 15) & 1) << 31 | (exponent == 31 ? 0 : exponent + 112) << 23 | (x & 0x3FF) << 13;
}
/// The immediate of SFPLOADI as FP16: every exponent is an ordinary number.
constexpr u32 fp32_of_immediate_fp16(u32 x) {
  return ((x >> 15) & 1) << 31 | (((x >> 10) & 0x1F) + 112) << 23 | (x & 0x3FF) << 13;
}

/// 1 / x for x >= 0 (bit 31 is ignored), 7 good bits.
u32 sfpu_reciprocal(u32 x);
/// e^x for x >= 0 (bit 31 is ignored). The low half of x leaks into the result, as in silicon.
u32 sfpu_exponential(u32 x);

}  // namespace bhemu::numeric
