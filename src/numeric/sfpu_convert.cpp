#include "numeric/sfpu_convert.hpp"

#include <algorithm>
#include <bit>

namespace bhemu::numeric {
namespace {

constexpr u32 kMagnitude = 0x7FFFFFFF;

struct Normalised {
  u32 word;    // the magnitude with its top bit at bit 31
  u32 result;  // FP32, truncated
};

/// `c` is a sign-magnitude integer whose magnitude is not 0.
Normalised normalise(u32 c) {
  const u32 zeros = static_cast<u32>(std::countl_zero(c & kMagnitude));
  const u32 word = (c & kMagnitude) << zeros;
  // The hidden one of `word` carries into the exponent.
  return {word, (c & ~kMagnitude) + ((157 - zeros) << 23) + (word >> 8)};
}

u32 signed_result(u32 sign, u64 magnitude, u32 limit) {
  const u32 clamped = static_cast<u32>(std::min<u64>(magnitude, limit));
  return clamped == 0 ? 0 : sign | clamped;
}

/// `fixed` has 23 fraction bits.
u64 round_fixed(u64 fixed, u32 threshold) {
  return (fixed >> 23) + static_cast<u64>((fixed & 0x7FFFFF) >= threshold);
}

}  // namespace

u32 sfpu_float_of_integer(u32 c) {
  if ((c & kMagnitude) == 0) return c;
  const Normalised n = normalise(c);
  const bool up = (n.word & 0x80) != 0 && (n.word & 0x17F) != 0;
  return n.result + static_cast<u32>(up);
}

u32 sfpu_float_of_integer_stochastic(u32 c, u32 random) {
  if ((c & kMagnitude) == 0) return c;
  const Normalised n = normalise(c);
  return n.result + static_cast<u32>((n.word & 0xFE) > ((random >> 9) & 0xFE));
}

u32 sfpu_round_float(u32 c, u32 dropped, u32 threshold) {
  const u32 exponent = (c >> 23) & 0xFF;
  if (exponent == 0) return 0;
  if (exponent == 255) return (c & 0x80000000) | 0x7F800000;
  const u32 rest = c & ((1u << dropped) - 1);
  const bool up = rest >= (threshold >> (23 - dropped));
  return c - rest + (static_cast<u32>(up) << dropped);
}

u32 sfpu_round_to_integer(u32 c, u32 limit, bool keep_sign, u32 threshold) {
  const u32 sign = keep_sign ? c & 0x80000000 : 0;
  const i32 exponent = static_cast<i32>((c >> 23) & 0xFF) - 127;
  if (exponent < -1) return 0;  // deterministically, whatever the rounding
  if (exponent >= 16) return sign | limit;
  const u64 significand = 0x800000 | (c & 0x7FFFFF);
  const u64 fixed = exponent >= 0 ? significand << exponent : significand >> 1;
  return signed_result(sign, round_fixed(fixed, threshold), limit);
}

u32 sfpu_round_integer(u32 c, u32 shift, u32 limit, bool keep_sign, u32 threshold) {
  const u64 fixed = (u64{c & kMagnitude} << 23) >> shift;
  return signed_result(keep_sign ? c & 0x80000000 : 0, round_fixed(fixed, threshold), limit);
}

}  // namespace bhemu::numeric
