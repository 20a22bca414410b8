// The multiply-add of the vector unit and of the baby RISC-V cores as its rules are stated, in
// exact wide integers and with one rounding; and the operands on which it is tried. Shares nothing
// with the library.
#pragma once

#include <algorithm>
#include <bit>
#include <random>
#include <vector>

#include "base/types.hpp"

namespace bhemu::test {

__extension__ using Wide = __int128;

/// floor(v / 2^n), and whether anything was cut off.
struct Cut {
  Wide kept;
  bool lost;
};
inline Cut cut(Wide v, int n) {
  if (n >= 120) return {0, v != 0};
  const Wide unit = Wide{1} << n;
  return {v / unit, v % unit != 0};
}

/// The rules as stated, on exact integers: `x`, `y`, `z` finite.
class MulAddModel {
 public:
  static u32 of(u32 x, u32 y, u32 z) {
    if (is_nan(x) || is_nan(y) || is_nan(z)) return kNan;
    const bool xi = is_inf(x), yi = is_inf(y), zi = is_inf(z);
    if ((xi && mantissa(y) == 0) || (yi && mantissa(x) == 0)) return kNan;
    const u32 sp = (x ^ y) >> 31, sz = z >> 31;
    if (zi) return (xi || yi) && sp != sz ? kNan : z;
    const int e = static_cast<int>(exponent(x)) + static_cast<int>(exponent(y)) - 127;
    const Wide product = mantissa(x) * mantissa(y);
    if (xi || yi || (product != 0 && e >= 255)) return sp << 31 | 0x7F800000;
    if (product == 0 || e < 0) return mantissa(z) != 0 ? z : (sz & sp) << 31;
    return sum(sp, product, e, sz, mantissa(z), static_cast<int>(exponent(z)));
  }

 private:
  static constexpr u32 kNan = 0x7FC00000;
  static u32 exponent(u32 v) { return (v >> 23) & 255; }
  static bool is_nan(u32 v) { return exponent(v) == 255 && (v & 0x7FFFFF) != 0; }
  static bool is_inf(u32 v) { return exponent(v) == 255 && (v & 0x7FFFFF) == 0; }
  static Wide mantissa(u32 v) { return exponent(v) == 0 ? 0 : 0x800000 + (v & 0x7FFFFF); }

  static Wide aligned(Wide m, int distance) {
    const Cut c = cut(m, distance);
    if (c.kept == 0) return 0;
    return c.lost && c.kept % 2 == 0 ? c.kept + 1 : c.kept;
  }
  static u32 sum(u32 sp, Wide product, int e, u32 sz, Wide mz, int ez) {
    const Cut narrowed = cut(product, 20);
    const Wide p = narrowed.lost && narrowed.kept % 2 == 0 ? narrowed.kept + 1 : narrowed.kept;
    const int base = std::max(e, ez);
    const Wide total =
        (sp != 0 ? -1 : 1) * aligned(p, base - e) + (sz != 0 ? -1 : 1) * aligned(8 * mz, base - ez);
    if (total == 0) return (sz & sp) << 31;
    return round(total < 0 ? 1 : 0, total < 0 ? -total : total, base);
  }
  static u32 round(u32 sign, Wide r, int base) {
    int log2 = 0;
    while ((r >> (log2 + 1)) != 0) ++log2;
    int k = log2 - 26;
    int e = base + k;
    if (e >= 255) return sign << 31 | 0x7F800000;
    if (e <= 0) {
      k += 1;
      e = 0;
    }
    if (k > 0) {
      const Cut c = cut(r, k);
      r = c.lost && c.kept % 2 == 0 ? c.kept + 1 : c.kept;
    } else {
      r = r * (Wide{1} << -k);
    }
    u32 v = (static_cast<u32>(e) << 23) + static_cast<u32>((r / 8) % 0x800000);
    const int rest = static_cast<int>(r % 8);
    if (rest > 4 || (rest == 4 && v % 2 == 1)) v += 1;
    return sign << 31 | (v < 0x800000 ? 0 : v);
  }
};

inline const std::vector<u32>& special_values() {
  static const std::vector<u32> kValues = [] {
    std::vector<u32> values;
    for (const u32 v :
         {0x00000000u, 0x00000001u, 0x007FFFFFu, 0x00800000u, 0x00800001u, 0x00FFFFFFu,
          0x01000000u, 0x33000000u, 0x33800000u, 0x3F000000u, 0x3F7FFFFFu, 0x3F800000u,
          0x3F800001u, 0x3FFFFFFFu, 0x40000000u, 0x4B800000u, 0x7E800000u, 0x7F000000u,
          0x7F7FFFFFu, 0x7F800000u, 0x7F800001u, 0x7FC00000u, 0x7FFFFFFFu}) {
      values.push_back(v);
      values.push_back(v | 0x80000000);
    }
    return values;
  }();
  return kValues;
}

struct MulAddOperands {
  u32 x, y, z;
};

/// Draw `index`: any bits, an addend close to the negated product, or one of about its exponent,
/// or small exponents all round.
inline MulAddOperands draw_mul_add(std::mt19937_64& random, u64 index) {
  u32 x = static_cast<u32>(random());
  u32 y = static_cast<u32>(random());
  u32 z = static_cast<u32>(random());
  if (index % 8 == 7) {
    x = (x & 0x81FFFFFF) | 0x3E000000;
    y = (y & 0x807FFFFF) | static_cast<u32>(random() % 6) << 23;
    z = (z & 0x807FFFFF) | static_cast<u32>(random() % 6) << 23;
  } else if (index % 2 == 0) {
    const float product = std::bit_cast<float>(x) * std::bit_cast<float>(y);
    z = (std::bit_cast<u32>(product) ^ 0x80000000) + static_cast<u32>(random() % 9) - 4;
  } else if (index % 4 == 1) {
    const u32 near = ((x >> 23 & 255) + (y >> 23 & 255) - 127 + random() % 60 - 30) & 255;
    z = (z & 0x807FFFFF) | near << 23;
  }
  return {x, y, z};
}

}  // namespace bhemu::test
