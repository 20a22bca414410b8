#include "numeric/sfpu_float.hpp"

#include <array>
#include <bit>
#include <cmath>

namespace bhemu::numeric {
namespace {

constexpr bool is_nan(u32 v) {
  return (v & ~kFp32Sign) > kFp32Infinity;
}
constexpr bool is_infinite(u32 v) {
  return (v & ~kFp32Sign) == kFp32Infinity;
}
constexpr u32 significand(u32 v) {
  return fp32_exponent(v) == 0 ? 0 : 0x800000 | fp32_fraction(v);
}

/// v / 2^places with bit 0 sticky. `places` below 64.
constexpr u64 shift_sticky(u64 v, u32 places) {
  const u64 kept = v >> places;
  return kept | static_cast<u64>((kept << places) != v);
}

/// The operand with the smaller exponent: shifted out completely, it leaves no sticky bit.
constexpr u64 align(u64 v, u32 places) {
  if (places >= 32 || (v >> places) == 0) return 0;
  return shift_sticky(v, places);
}

/// Any operand NaN or infinite.
u32 special_mul_add(u32 x, u32 y, u32 z) {
  if (is_nan(x) || is_nan(y) || is_nan(z)) return kFp32Nan;
  if ((is_infinite(x) && significand(y) == 0) || (is_infinite(y) && significand(x) == 0))
    return kFp32Nan;
  const u32 product_sign = (x ^ y) & kFp32Sign;
  const bool infinite_product = is_infinite(x) || is_infinite(y);
  if (is_infinite(z)) {
    // A product that merely overflows does not fight an infinite addend.
    return infinite_product && product_sign != (z & kFp32Sign) ? kFp32Nan : z;
  }
  return product_sign | kFp32Infinity;
}

}  // namespace

u32 sfpu_normalise(u32 sign, u64 magnitude, i32 base) {
  i32 places = static_cast<i32>(std::bit_width(magnitude)) - 27;
  i32 exponent = base + places;
  if (exponent >= 255) return sign | kFp32Infinity;
  if (exponent <= 0) {
    // Silicon shifts one further place only, however small the exponent was.
    ++places;
    exponent = 0;
  }
  const u64 r =
      places > 0 ? shift_sticky(magnitude, static_cast<u32>(places)) : magnitude << -places;
  u32 v = (static_cast<u32>(exponent) << 23) + (static_cast<u32>(r >> 3) & 0x7FFFFF);
  const u32 rest = static_cast<u32>(r) & 7;
  v += static_cast<u32>(rest > 4 || (rest == 4 && (v & 1) != 0));
  return sign | (v < 0x800000 ? 0 : v);
}

u32 sfpu_mul_add(u32 x, u32 y, u32 z) {
  const u32 ex = fp32_exponent(x);
  const u32 ey = fp32_exponent(y);
  const u32 ez = fp32_exponent(z);
  if (ex == 255 || ey == 255 || ez == 255) return special_mul_add(x, y, z);
  const u32 product_sign = (x ^ y) & kFp32Sign;
  const u32 z_sign = z & kFp32Sign;
  const u64 product = u64{significand(x)} * significand(y);
  const i32 exponent = static_cast<i32>(ex + ey) - 127;
  // Overflow and underflow are judged before the product is normalised.
  if (product != 0 && exponent >= 255) return product_sign | kFp32Infinity;
  if (product == 0 || exponent < 0) return ez != 0 ? z : z_sign & product_sign;

  const i32 base = exponent > static_cast<i32>(ez) ? exponent : static_cast<i32>(ez);
  const i64 p =
      static_cast<i64>(align(shift_sticky(product, 20), static_cast<u32>(base - exponent)));
  const i64 q = static_cast<i64>(align(u64{significand(z)} << 3, static_cast<u32>(base) - ez));
  const i64 sum = (product_sign != 0 ? -p : p) + (z_sign != 0 ? -q : q);
  if (sum == 0) return z_sign & product_sign;
  return sfpu_normalise(sum < 0 ? kFp32Sign : 0, static_cast<u64>(sum < 0 ? -sum : sum), base);
}

u32 sfpu_reciprocal(u32 x) {
  x &= ~kFp32Sign;
  if (x < 0x00800000) return kFp32Infinity;
  if (x >= 0x7E800000) return 0;
  // A table of 128 entries in silicon: round(128 * (255 - 2i) / (257 + 2i)).
  const u32 i = (x >> 16) & 0x7F;
  const u32 divisor = 257 + 2 * i;
  const u32 entry = (2 * 128 * (255 - 2 * i) + divisor) / (2 * divisor);
  return (253 - fp32_exponent(x)) << 23 | entry << 16;
}

namespace {

constexpr u32 kFirstTableEntry = 0x3C80;
constexpr u32 kTableEntries = 0x4000 - kFirstTableEntry;

/// Top halves of e^v, truncated, for v = {first + i, 0}. The host's exp is accurate to far less
/// than the 0.0013 steps by which the closest of the 896 entries misses an integer, so every
/// correctly working library gives the same table.
std::array<u16, kTableEntries> make_exponential_table() {
  std::array<u16, kTableEntries> table{};
  for (u32 i = 0; i < kTableEntries; ++i) {
    const double v = std::bit_cast<float>((kFirstTableEntry + i) << 16);
    int exponent = 0;
    const double fraction = std::frexp(std::exp(v), &exponent);  // in [0.5, 1)
    const auto mantissa = static_cast<u32>(fraction * 256);      // 8 bits, truncated
    table[i] = static_cast<u16>((static_cast<u32>(exponent + 126) << 7) + (mantissa & 0x7F));
  }
  return table;
}

}  // namespace

u32 sfpu_exponential(u32 x) {
  static const std::array<u16, kTableEntries> kTable = make_exponential_table();
  x &= ~kFp32Sign;
  const u32 low = x & 0xFFFF;
  if (x < 0x00800000) return kFp32One;
  if (x < 0x3C800000) return 0x3F810000 | low;
  if (x >= 0x40000000) return 0x40800000 | low;
  return u32{kTable[(x >> 16) - kFirstTableEntry]} << 16 | low;
}

}  // namespace bhemu::numeric
