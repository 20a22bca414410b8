#include "numeric/riscv_float.hpp"

#include <bit>

#include "base/bits.hpp"
#include "numeric/sfpu_float.hpp"

namespace bhemu::numeric {
namespace {

constexpr u32 kInfinity = 0x7F800000;
constexpr u32 kSign = 0x80000000;

constexpr u32 exponent_of(u32 v) {
  return bits(v, 23, 8);
}
constexpr u32 fraction_of(u32 v) {
  return bits(v, 0, 23);
}
constexpr bool is_nan32(u32 v) {
  return (v & ~kSign) > kInfinity;
}
constexpr u64 significand_of(u32 v) {
  return exponent_of(v) == 0 ? 0 : (u64{1} << 23) | fraction_of(v);
}

/// v / 2^places, bit 0 sticky.
constexpr u64 shift_right_sticky(u64 v, unsigned places) {
  if (places == 0) return v;
  if (places > 63) return v != 0;
  return (v >> places) | ((v & ((u64{1} << places) - 1)) != 0);
}

struct Integer {
  bool negative;
  bool huge;  // beyond any 32-bit integer, or infinite
  u64 magnitude;
};

/// `value` is a single that is no NaN.
Integer integer_of(u32 value, bool truncate) {
  const bool negative = (value & kSign) != 0;
  const i32 exponent = static_cast<i32>(exponent_of(value)) - 127;
  if (exponent_of(value) == 0) return {negative, false, 0};
  if (exponent > 33) return {negative, true, 0};
  const u64 m = significand_of(value);
  if (exponent >= 23) return {negative, false, m << (exponent - 23)};
  const u64 r = shift_right_sticky(m << 2, static_cast<unsigned>(23 - exponent));
  const bool up = !truncate && ((r & 3) == 3 || (r & 7) == 6);
  return {negative, false, (r >> 2) + up};
}

/// Nearest even, 24 significant bits.
u32 single_of(bool negative, u64 magnitude) {
  if (magnitude == 0) return 0;
  return sfpu_normalise(negative ? kSign : 0, magnitude, 127 + 26);
}

}  // namespace

u32 riscv_mul_add(u32 x, u32 y, u32 z) {
  return sfpu_mul_add(x, y, z);
}

u32 widen_half(u32 half, HalfMode mode) {
  const u32 sign = (half & 0x8000) << 16;
  if (mode != HalfMode::Fp16) {
    const u32 value = half << 16;
    if (is_nan32(value)) return kNanSingle;
    return exponent_of(value) == 0 ? sign : value;
  }
  const u32 exponent = bits(half, 10, 5);
  const u32 fraction = bits(half, 0, 10);
  if (exponent == 0) return sign;
  if (exponent == 31) return fraction != 0 ? kNanSingle : sign | kInfinity;
  return sign | ((exponent + 112) << 23) | (fraction << 13);
}

u32 narrow_half(u32 single, HalfMode mode) {
  const u32 sign = (single & kSign) >> 16;
  if (is_nan32(single)) return nan_half(mode);
  if (mode != HalfMode::Fp16) {
    const u32 magnitude = single & ~kSign;
    if (magnitude < (1u << 23)) return sign;
    if (mode == HalfMode::Bf16Truncate || magnitude == kInfinity) return sign | (magnitude >> 16);
    return sign | ((magnitude + 0x7FFF + ((magnitude >> 16) & 1)) >> 16);
  }
  const i32 exponent = static_cast<i32>(exponent_of(single)) - 112;
  if (exponent >= 31) return sign | 0x7C00;                        // infinity included
  const u32 places = exponent > 0 ? 13 : exponent == 0 ? 14 : 40;  // 40: certainly flushed
  const u64 r = shift_right_sticky(significand_of(single) << 2, places);
  u32 v = static_cast<u32>(r >> 2);
  if ((r & 3) == 3 || (r & 7) == 6) ++v;
  // v counts units in the last place from the implicit one on: let a carry run into the exponent.
  if (exponent > 0) v += static_cast<u32>(exponent - 1) << 10;
  return v < 0x400 ? sign : sign | v;
}

u32 narrow_half_odd(u32 single, HalfMode mode) {
  const u32 sign = (single & kSign) >> 16;
  const u32 magnitude = single & ~kSign;
  if (magnitude >= kInfinity || magnitude < (1u << 23)) return narrow_half(single, mode);
  if (mode != HalfMode::Fp16) return sign | (magnitude >> 16) | ((magnitude & 0xFFFF) != 0);
  const i32 exponent = static_cast<i32>(exponent_of(single)) - 112;
  if (exponent >= 31) return sign | 0x7BFF;
  if (exponent <= 0) return sign;  // a denormal result, flushed
  const u32 fraction = fraction_of(single);
  return sign | (static_cast<u32>(exponent) << 10) | (fraction >> 13) | ((fraction & 0x1FFF) != 0);
}

u32 RiscvFloat::mul_add(u32 a, u32 b, u32 c) const {
  return from_single(riscv_mul_add(to_single(a), to_single(b), to_single(c)));
}

u32 RiscvFloat::add(u32 a, u32 b) const {
  return from_single(riscv_mul_add(to_single(a), 0x3F800000, to_single(b)));
}

u32 RiscvFloat::mul(u32 a, u32 b) const {
  const u32 x = to_single(a);
  const u32 y = to_single(b);
  return from_single(riscv_mul_add(x, y, (x ^ y) & kSign));  // keeps the sign of a zero product
}

i64 RiscvFloat::key(u32 a) const {
  return (a & sign_) == 0 ? i64{a} : -1 - static_cast<i64>(a & ~sign_);
}

u32 RiscvFloat::min(u32 a, u32 b) const {
  if (is_nan(a)) return is_nan(b) ? (single_ ? kNanSingle : nan_half(mode_)) : b;
  if (is_nan(b)) return a;
  return key(b) < key(a) ? b : a;
}

u32 RiscvFloat::max(u32 a, u32 b) const {
  if (is_nan(a)) return is_nan(b) ? (single_ ? kNanSingle : nan_half(mode_)) : b;
  if (is_nan(b)) return a;
  return key(b) > key(a) ? b : a;
}

bool RiscvFloat::eq(u32 a, u32 b) const {
  if (is_nan(a) || is_nan(b)) return false;
  return a == b || ((a | b) & ~sign_) == 0;
}

bool RiscvFloat::lt(u32 a, u32 b) const {
  if (is_nan(a) || is_nan(b) || ((a | b) & ~sign_) == 0) return false;
  return key(a) < key(b);
}

bool RiscvFloat::le(u32 a, u32 b) const {
  return lt(a, b) || eq(a, b);
}

u32 RiscvFloat::classify(u32 a) const {
  const bool negative = (a & sign_) != 0;
  const u32 magnitude = a & ~sign_;
  const u32 quiet = single_ ? 0x400000 : mode_ == HalfMode::Fp16 ? 0x200 : 0x40;
  const u32 least_normal = quiet << 1;
  if (magnitude > infinity_) return (magnitude & quiet) != 0 ? 1u << 9 : 1u << 8;
  if (magnitude == infinity_) return negative ? 1u << 0 : 1u << 7;
  if (magnitude == 0) return negative ? 1u << 3 : 1u << 4;
  if (magnitude < least_normal) return negative ? 1u << 2 : 1u << 5;
  return negative ? 1u << 1 : 1u << 6;
}

u32 RiscvFloat::to_signed(u32 a, unsigned width, bool truncate) const {
  const u64 top = u64{1} << (width - 1);
  if (is_nan(a)) return static_cast<u32>(top - 1);
  const Integer n = integer_of(to_single(a), truncate);
  if (!n.negative) return static_cast<u32>(n.huge || n.magnitude >= top ? top - 1 : n.magnitude);
  const u64 magnitude = n.huge || n.magnitude > top ? top : n.magnitude;
  return static_cast<u32>(u64{0} - magnitude) & static_cast<u32>((top << 1) - 1);
}

u32 RiscvFloat::to_unsigned(u32 a, unsigned width, bool truncate) const {
  const u64 all = (u64{1} << width) - 1;
  if (is_nan(a)) return static_cast<u32>(all);
  const Integer n = integer_of(to_single(a), truncate);
  if (n.negative) return 0;
  return static_cast<u32>(n.huge || n.magnitude > all ? all : n.magnitude);
}

u32 RiscvFloat::from_signed(i32 value) const {
  const bool negative = value < 0;
  const u64 magnitude = negative ? static_cast<u64>(-static_cast<i64>(value)) : u64(value);
  return from_single(single_of(negative, magnitude));
}

u32 RiscvFloat::from_unsigned(u32 value) const {
  return from_single(single_of(false, value));
}

}  // namespace bhemu::numeric
