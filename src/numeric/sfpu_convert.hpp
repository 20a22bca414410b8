// Conversions of the vector unit, one lane: SFPCAST, SFPSTOCHRND, and the formats of SFPLOAD and
// SFPSTORE.
//
// Documents: tt-isa-documentation BlackholeA0 SFPCAST*.md, SFPSTOCHRND*.md, SFPLOAD.md,
// SFPSTORE.md. Silicon's mistakes are kept: thresholds are compared with >=.
#pragma once

#include "base/bits.hpp"
#include "base/types.hpp"
#include "numeric/format_layout.hpp"

namespace bhemu::numeric {

// --- SFPCAST.
/// Sign-magnitude to FP32, to nearest even.
u32 sfpu_float_of_integer(u32 c);
/// The same with seven random bits.
u32 sfpu_float_of_integer_stochastic(u32 c, u32 random);
/// Sign-magnitude to two's complement, and back: the same function; -0 and -2^31 swap.
constexpr u32 sfpu_swap_sign_representation(u32 c) {
  return (c >> 31) == 0 ? c : 0x80000000u | ((0u - c) & 0x7FFFFFFF);
}
/// Meant to be a conversion, silicon takes the absolute value of a two's complement number.
constexpr u32 sfpu_integer_absolute(u32 c) {
  return (c >> 31) != 0 ? 0u - c : c;
}

// --- SFPSTOCHRND. `threshold` has 23 bits: sfpu_round_threshold.
enum class SfpuRounding : u8 { Nearest = 0, Stochastic = 1, Zero = 2, Stochastic3 = 3 };
constexpr u32 sfpu_round_threshold(SfpuRounding rounding, u32 random) {
  switch (rounding) {
    case SfpuRounding::Nearest:
      return 0x400000;
    case SfpuRounding::Zero:
      return 0x7FFFFF;
    default:
      return random & 0x7FFFFF;
  }
}
/// FP32 to FP32 with `dropped` (13 or 16) low mantissa bits rounded off.
u32 sfpu_round_float(u32 c, u32 dropped, u32 threshold);
/// FP32 to a sign-magnitude integer of magnitude at most `limit`; negative only if `keep_sign`.
u32 sfpu_round_to_integer(u32 c, u32 limit, bool keep_sign, u32 threshold);
/// A sign-magnitude integer divided by 2^shift (0..31), clamped.
u32 sfpu_round_integer(u32 c, u32 shift, u32 limit, bool keep_sign, u32 threshold);

// --- SFPLOAD from 16-bit Dst storage.
/// With `has_infinity`, the largest FP16 pattern is read as infinity.
constexpr u32 sfpu_load_fp16(u16 h, bool has_infinity) {
  const u32 sign = u32{h & 0x8000u} << 16;
  const u32 exponent = h & 0x1F;
  const u32 mantissa = (h >> 5) & 0x3FF;
  if (has_infinity && exponent == 31 && mantissa == 0x3FF) return sign | 0x7F800000;
  return sign | (exponent == 0 ? 0 : exponent + 112) << 23 | mantissa << 13;
}
constexpr u32 sfpu_load_bf16(u16 h) {
  return u32{bf16_from_dst(h)} << 16;
}
/// Integer "8": sign and `width` (8 or 10) bits of magnitude.
constexpr u32 sfpu_load_int8(u16 h, u32 width) {
  return u32{h & 0x8000u} << 16 | bits(h, 5, width);
}
constexpr u32 sfpu_load_int16(u16 h) {
  return u32{h & 0x8000u} << 16 | (h & 0x7FFFu);
}

// --- SFPSTORE to Dst storage.
constexpr u32 sfpu_flush(u32 v) {
  return (v & 0x7F800000) != 0 ? v : v & 0x80000000;
}
/// Truncates; what is too large, NaN included, becomes the largest pattern.
constexpr u16 sfpu_store_fp16(u32 v) {
  const u16 sign = static_cast<u16>((v >> 31) << 15);
  const i32 exponent = static_cast<i32>((v >> 23) & 0xFF) - 112;
  if (exponent <= 0) return sign;
  if (exponent > 31) return sign | 0x7FFF;
  return static_cast<u16>(sign | ((v >> 13) & 0x3FF) << 5 | static_cast<u32>(exponent));
}
constexpr u16 sfpu_store_bf16(u32 v) {
  return dst_from_bf16(static_cast<u16>(sfpu_flush(v) >> 16));
}
constexpr u16 sfpu_store_int8(u32 v) {
  return static_cast<u16>((v >> 31) << 15 | (v & 0x3FF) << 5 | 16);
}
constexpr u16 sfpu_store_int16(u32 v) {
  return static_cast<u16>((v >> 31) << 15 | (v & 0x7FFF));
}

}  // namespace bhemu::numeric
