#include "numeric/riscv_float.hpp"

#include <bit>

#include "base/bits.hpp"
#include "numeric/riscv_float_flags.hpp"
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
  bool huge;     // beyond any 32-bit integer, or infinite
  bool rounded;  // the value was not an integer
  u64 magnitude;
};

/// `value` is a single that is no NaN.
Integer integer_of(u32 value, bool truncate) {
  const bool negative = (value & kSign) != 0;
  const i32 exponent = static_cast<i32>(exponent_of(value)) - 127;
  if (exponent_of(value) == 0) return {negative, false, false, 0};
  if (exponent > 33) return {negative, true, false, 0};
  const u64 m = significand_of(value);
  if (exponent >= 23) return {negative, false, false, m << (exponent - 23)};
  const u64 r = shift_right_sticky(m << 2, static_cast<unsigned>(23 - exponent));
  const bool up = !truncate && ((r & 3) == 3 || (r & 7) == 6);
  return {negative, false, (r & 3) != 0, (r >> 2) + up};
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

bool RiscvFloat::is_signaling(u32 a) const {
  const u32 quiet = single_ ? 0x400000 : mode_ == HalfMode::Fp16 ? 0x200 : 0x40;
  return is_nan(a) && (a & quiet) == 0;
}

u32 RiscvFloat::finish(u32 x, u32 y, u32 z, bool signaling) const {
  const u32 result = narrow(riscv_mul_add(x, y, z));
  if (flags_ != nullptr) *flags_ |= mul_add_flags(x, y, z, widen(result), signaling);
  return result;
}

u32 RiscvFloat::mul_add(u32 a, u32 b, u32 c) const {
  return finish(widen(a), widen(b), widen(c),
                is_signaling(a) || is_signaling(b) || is_signaling(c));
}

u32 RiscvFloat::add(u32 a, u32 b) const {
  return finish(widen(a), 0x3F800000, widen(b), is_signaling(a) || is_signaling(b));
}

u32 RiscvFloat::mul(u32 a, u32 b) const {
  const u32 x = widen(a);
  const u32 y = widen(b);
  // The addend keeps the sign of a zero product.
  return finish(x, y, (x ^ y) & kSign, is_signaling(a) || is_signaling(b));
}

u32 RiscvFloat::to_single(u32 a) const {
  if (is_signaling(a) && !single_) raise(kInvalid);
  return widen(a);
}

u32 RiscvFloat::narrowed(u32 single, u32 half) const {
  constexpr u32 kQuiet = 0x400000;
  const bool signaling = is_nan32(single) && (single & kQuiet) == 0;
  raise(conversion_flags(single, widen_half(half, mode_), signaling));
  return half;
}

u32 RiscvFloat::from_single(u32 a) const {
  return single_ ? a : narrowed(a, narrow_half(a, mode_));
}

u32 RiscvFloat::from_single_odd(u32 a) const {
  return narrowed(a, narrow_half_odd(a, mode_));
}

i64 RiscvFloat::key(u32 a) const {
  return (a & sign_) == 0 ? i64{a} : -1 - static_cast<i64>(a & ~sign_);
}

u32 RiscvFloat::extreme(u32 a, u32 b, bool larger) const {
  if (is_signaling(a) || is_signaling(b)) raise(kInvalid);
  if (is_nan(a)) return is_nan(b) ? (single_ ? kNanSingle : nan_half(mode_)) : b;
  if (is_nan(b)) return a;
  return (larger ? key(b) > key(a) : key(b) < key(a)) ? b : a;
}
u32 RiscvFloat::min(u32 a, u32 b) const {
  return extreme(a, b, false);
}
u32 RiscvFloat::max(u32 a, u32 b) const {
  return extreme(a, b, true);
}

bool RiscvFloat::equal(u32 a, u32 b) const {
  if (is_nan(a) || is_nan(b)) return false;
  return a == b || ((a | b) & ~sign_) == 0;
}

bool RiscvFloat::less(u32 a, u32 b) const {
  if (is_nan(a) || is_nan(b) || ((a | b) & ~sign_) == 0) return false;
  return key(a) < key(b);
}

bool RiscvFloat::eq(u32 a, u32 b) const {
  if (is_signaling(a) || is_signaling(b)) raise(kInvalid);
  return equal(a, b);
}

// Those that order raise it for quiet NaNs, too.
bool RiscvFloat::lt(u32 a, u32 b) const {
  if (is_nan(a) || is_nan(b)) raise(kInvalid);
  return less(a, b);
}

bool RiscvFloat::le(u32 a, u32 b) const {
  if (is_nan(a) || is_nan(b)) raise(kInvalid);
  return less(a, b) || equal(a, b);
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
  const Integer n = is_nan(a) ? Integer{false, true, false, 0} : integer_of(widen(a), truncate);
  const u64 limit = n.negative ? top : top - 1;
  const bool outside = n.huge || n.magnitude > limit;
  raise(outside ? u32{kInvalid} : n.rounded ? u32{kInexact} : 0);
  const u64 magnitude = outside ? limit : n.magnitude;
  return static_cast<u32>(n.negative ? u64{0} - magnitude : magnitude) &
         static_cast<u32>((top << 1) - 1);
}

u32 RiscvFloat::to_unsigned(u32 a, unsigned width, bool truncate) const {
  const u64 all = (u64{1} << width) - 1;
  const Integer n = is_nan(a) ? Integer{false, true, false, 0} : integer_of(widen(a), truncate);
  const u64 limit = n.negative ? 0 : all;
  const bool outside = n.huge || n.magnitude > limit;
  raise(outside ? u32{kInvalid} : n.rounded ? u32{kInexact} : 0);
  return static_cast<u32>(outside ? limit : n.magnitude);
}

u32 RiscvFloat::from_integer(bool negative, u64 magnitude) const {
  const u32 single = single_of(negative, magnitude);
  const u32 result = narrow(single);
  // 32 bits are more than a single has: it is exact when it gives the integer back.
  const Integer back = integer_of(single, true);
  const bool exact = back.magnitude == magnitude && widen(result) == single;
  if ((result & ~sign_) == infinity_) {
    raise(kOverflow | kInexact);
  } else if (!exact) {
    raise(kInexact);
  }
  return result;
}

u32 RiscvFloat::from_signed(i32 value) const {
  const bool negative = value < 0;
  return from_integer(negative, negative ? static_cast<u64>(-static_cast<i64>(value)) : u64(value));
}

u32 RiscvFloat::from_unsigned(u32 value) const {
  return from_integer(false, value);
}

}  // namespace bhemu::numeric
