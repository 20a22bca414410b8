#include "numeric/format_accumulate.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace bhemu::numeric {
namespace {

float as_float(u32 bits) {
  return std::bit_cast<float>(bits);
}

u32 without_denormal(u32 v) {
  return (v & 0x7F800000u) == 0 ? v & 0x80000000u : v;
}

/// A BF16 operand as a number: exponent 0 is a signed zero.
double bf16_operand(u16 v, bool is_old) {
  const bool negative = (v & 0x8000) != 0;
  const u32 exponent = (v >> 7) & 0xFF;
  const u32 mantissa = v & 0x7F;
  double magnitude;
  if (exponent == 0) {
    magnitude = 0.0;
  } else if (exponent == 0xFF && mantissa == 0) {
    magnitude = std::numeric_limits<double>::infinity();
  } else if (exponent == 0xFF && is_old) {
    magnitude = std::numeric_limits<double>::max();  // larger than any finite contribution
  } else {
    magnitude = std::ldexp(128.0 + mantissa, static_cast<int>(exponent) - 127 - 7);
  }
  return negative ? -magnitude : magnitude;
}

float fp16_operand(u16 v) {
  const bool negative = (v & 0x8000) != 0;
  const u32 exponent = (v >> 10) & 0x1F;
  const float magnitude = exponent == 0 ? 0.0F
                                        : std::ldexp(1024.0F + static_cast<float>(v & 0x3FF),
                                                     static_cast<int>(exponent) - 15 - 10);
  return negative ? -magnitude : magnitude;
}

/// The low `dropped` bits rounded away, to nearest, ties to even.
u64 round_to_even(u64 mantissa, unsigned dropped) {
  const u64 half = u64{1} << (dropped - 1);
  const u64 odd = (mantissa >> dropped) & 1;
  return (mantissa + half - 1 + odd) >> dropped;
}

}  // namespace

u32 accumulate_fp32(u32 old_value, u32 new_value) {
  const float sum = as_float(without_denormal(old_value)) + as_float(without_denormal(new_value));
  if (std::isnan(sum)) return 0x7FC00000u;
  return without_denormal(std::bit_cast<u32>(sum));
}

IntegerSum accumulate_int32(u32 old_value, u32 new_value) {
  constexpr i64 kMost = 0x7FFFFFFF;
  const auto signed_of = [](u32 v) {
    const i64 magnitude = v & 0x7FFFFFFF;
    return (v >> 31) != 0 ? -magnitude : magnitude;
  };
  const i64 sum = signed_of(old_value) + signed_of(new_value);
  const u32 magnitude = static_cast<u32>(std::min(sum < 0 ? -sum : sum, kMost));
  const bool certain = ((old_value | new_value) >> 31) == 0 && sum <= kMost;
  return {magnitude | (sum < 0 ? 0x80000000u : 0), certain};
}

u16 accumulate_bf16(u16 old_value, u16 new_value) {
  const double sum = bf16_operand(old_value, true) + bf16_operand(new_value, false);
  if (std::isnan(sum)) return 0x7FC0;  // +infinity and -infinity
  const u64 bits = std::bit_cast<u64>(sum);
  const u16 sign = static_cast<u16>((bits >> 63) << 15);
  const int exponent = static_cast<int>((bits >> 52) & 0x7FF) - 1023 + 127;
  if (exponent <= 0) return sign;
  if (exponent >= 255) return static_cast<u16>(sign | 0x7F80);
  const u64 mantissa = bits & ((u64{1} << 52) - 1);
  const u64 rounded = (static_cast<u64>(exponent) << 7) + round_to_even(mantissa, 52 - 7);
  return static_cast<u16>(sign | rounded);  // the carry may reach infinity
}

u16 accumulate_fp16(u16 old_value, u16 new_value) {
  const float sum = fp16_operand(old_value) + fp16_operand(new_value);
  const u32 bits = std::bit_cast<u32>(sum);
  const u16 sign = static_cast<u16>((bits >> 31) << 15);
  if (sum == 0.0F) {
    // Exact cancellation of the largest values gives the largest value.
    const bool huge = ((old_value >> 10) & 0x1F) >= 30;
    return static_cast<u16>(sign | (huge ? 0x7FFF : 0));
  }
  const int exponent = static_cast<int>((bits >> 23) & 0xFF) - 127 + 15;
  if (exponent < 0) return static_cast<u16>(sign | 0x7FFF);
  if (exponent == 0) return sign;
  const u32 mantissa = bits & 0x7FFFFF;
  const u64 rounded = (static_cast<u64>(exponent) << 10) + round_to_even(mantissa, 23 - 10);
  return static_cast<u16>(sign | (rounded > 0x7FFF ? 0x7FFF : rounded));
}

}  // namespace bhemu::numeric
