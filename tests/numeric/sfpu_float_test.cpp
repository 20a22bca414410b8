// The multiply-add of the vector unit against the host's IEEE arithmetic where both must agree, and
// against a model in exact wide integers everywhere; the approximations of SFPARECIP.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "numeric/sfpu_float.hpp"

namespace bhemu::numeric {
namespace {

__extension__ using Wide = __int128;

/// floor(v / 2^n), and whether anything was cut off.
struct Cut {
  Wide kept;
  bool lost;
};
Cut cut(Wide v, int n) {
  if (n >= 120) return {0, v != 0};
  const Wide unit = Wide{1} << n;
  return {v / unit, v % unit != 0};
}

/// The rules as stated, on exact integers: `x`, `y`, `z` finite.
class MulAddModel {
 public:
  static u32 of(u32 x, u32 y, u32 z) {
    if (is_nan(x) || is_nan(y) || is_nan(z)) return kFp32Nan;
    const bool xi = is_inf(x), yi = is_inf(y), zi = is_inf(z);
    if ((xi && mantissa(y) == 0) || (yi && mantissa(x) == 0)) return kFp32Nan;
    const u32 sp = (x ^ y) >> 31, sz = z >> 31;
    if (zi) return (xi || yi) && sp != sz ? kFp32Nan : z;
    const int e = static_cast<int>(exponent(x)) + static_cast<int>(exponent(y)) - 127;
    const Wide product = mantissa(x) * mantissa(y);
    if (xi || yi || (product != 0 && e >= 255)) return sp << 31 | 0x7F800000;
    if (product == 0 || e < 0) return mantissa(z) != 0 ? z : (sz & sp) << 31;
    return sum(sp, product, e, sz, mantissa(z), static_cast<int>(exponent(z)));
  }

 private:
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

const std::vector<u32>& special_values() {
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

u32 flushed(u32 v) {
  return (v & 0x7F800000) == 0 ? v & 0x80000000 : v;
}
bool is_nan(u32 v) {
  return (v & 0x7FFFFFFF) > 0x7F800000;
}

TEST(SfpuMulAdd, matches_the_wide_integer_model_on_all_triples_of_special_values) {
  for (const u32 x : special_values())
    for (const u32 y : special_values())
      for (const u32 z : special_values())
        ASSERT_EQ(sfpu_mul_add(x, y, z), MulAddModel::of(x, y, z))
            << std::hex << x << " " << y << " " << z;
}

TEST(SfpuMulAdd, matches_the_wide_integer_model_on_random_and_cancelling_operands) {
  std::mt19937_64 random(20261121);
  for (u32 i = 0; i < 1'000'000; ++i) {
    const u32 x = static_cast<u32>(random());
    const u32 y = static_cast<u32>(random());
    u32 z = static_cast<u32>(random());
    // Half of the time an addend close to the negated product.
    if (i % 2 == 0) {
      const float product = std::bit_cast<float>(x) * std::bit_cast<float>(y);
      z = (std::bit_cast<u32>(product) ^ 0x80000000) + static_cast<u32>(random() % 9) - 4;
    } else if (i % 4 == 1) {
      const u32 near = ((x >> 23 & 255) + (y >> 23 & 255) - 127 + random() % 60 - 30) & 255;
      z = (z & 0x807FFFFF) | near << 23;
    }
    ASSERT_EQ(sfpu_mul_add(x, y, z), MulAddModel::of(x, y, z))
        << std::hex << x << " " << y << " " << z;
  }
}

/// Results of the host that are normal numbers, infinities or zeros must agree: with a factor of
/// 1 or an addend of 0 the partial fusion cannot show.
TEST(SfpuMulAdd, is_ieee_single_precision_when_adding_or_multiplying_only) {
  std::mt19937_64 random(7);
  auto check = [](u32 x, u32 y, u32 z, float host, const char* what) {
    const u32 expected = std::bit_cast<u32>(host);
    if (is_nan(expected) || (expected & 0x7FFFFFFF) < 0x01000000) return;
    ASSERT_EQ(sfpu_mul_add(x, y, z), expected) << what << std::hex << x << " " << y << " " << z;
  };
  for (u32 i = 0; i < 1'000'000; ++i) {
    const u32 a = flushed(static_cast<u32>(random()));
    u32 b = flushed(static_cast<u32>(random()));
    if (i % 2 == 0) b = flushed((b & 0x807FFFFF) | ((a & 0x7F800000) + ((b >> 29) << 23)));
    if (is_nan(a) || is_nan(b)) continue;
    check(a, kFp32One, b, std::bit_cast<float>(a) + std::bit_cast<float>(b), "add ");
    // A product that overflows or underflows by its exponent is judged before normalising.
    const int e = static_cast<int>(fp32_exponent(a)) + static_cast<int>(fp32_exponent(b)) - 127;
    if (e < 255) check(a, b, 0, std::bit_cast<float>(a) * std::bit_cast<float>(b), "multiply ");
  }
}

TEST(SfpuOrder, key_is_the_total_order) {
  constexpr u32 kAscending[] = {0xFFFFFFFF, 0xFF800000, 0xC0000000, 0xBF800000,
                                0x80000001, 0x80000000, 0x00000000, 0x00000001,
                                0x3F800000, 0x40000000, 0x7F800000, 0x7FFFFFFF};
  for (u32 i = 0; i < std::size(kAscending); ++i)
    for (u32 j = 0; j < std::size(kAscending); ++j)
      EXPECT_EQ(sfpu_is_smaller(kAscending[i], kAscending[j]), i < j);
}

TEST(SfpuReciprocal, stays_within_the_measured_error_for_every_upper_half) {
  double worst = 0;
  for (u32 upper = 0x0080; upper < 0x7E80; ++upper) {
    const u32 x = upper << 16 | 0x8000;
    const double result = std::bit_cast<float>(sfpu_reciprocal(x));
    const double exact = 1.0 / static_cast<double>(std::bit_cast<float>(x));
    if (sfpu_reciprocal(x) < 0x00800000) continue;
    worst = std::max(worst, std::abs(result / exact - 1.0));
    ASSERT_EQ(sfpu_reciprocal(x), sfpu_reciprocal(x & 0xFFFF0000));
  }
  EXPECT_LT(worst, 0.0056);
  EXPECT_GT(worst, 0.0030);
  EXPECT_EQ(sfpu_reciprocal(0x007FFFFF), 0x7F800000u);
  EXPECT_EQ(sfpu_reciprocal(0x7E800000), 0u);
  EXPECT_EQ(sfpu_reciprocal(0x7F800000), 0u);
}

TEST(SfpuExponential, follows_the_exact_function_in_its_range_and_is_constant_beyond) {
  double worst = 0;
  for (u32 upper = 0x3C80; upper < 0x4000; ++upper) {
    const u32 x = upper << 16;
    const double exact = std::exp(static_cast<double>(std::bit_cast<float>(x)));
    worst = std::max(worst, std::abs(std::bit_cast<float>(sfpu_exponential(x)) / exact - 1.0));
    ASSERT_EQ(sfpu_exponential(x | 0x1234), sfpu_exponential(x) | 0x1234);
  }
  EXPECT_LT(worst, 0.0079692);  // the largest error measured on a card, low halves included
  EXPECT_EQ(sfpu_exponential(0), kFp32One);
  EXPECT_EQ(sfpu_exponential(0x007FFFFF), kFp32One);
  EXPECT_EQ(sfpu_exponential(0x00800000), 0x3F810000u);
  EXPECT_EQ(sfpu_exponential(0x3C7F5678), 0x3F815678u);
  EXPECT_EQ(sfpu_exponential(0x40000001), 0x40800001u);
}

TEST(SfpuLookupFormats, every_coefficient_of_8_bits) {
  for (u32 x = 0; x < 256; ++x) {
    const double sign = (x & 0x80) != 0 ? -1.0 : 1.0;
    const double value = sign * (1.0 + (x & 15) / 16.0) * std::exp2(-static_cast<int>(x >> 4 & 7));
    EXPECT_EQ(std::bit_cast<float>(fp32_of_lut8(x)), x == 0xFF ? 0.0 : value);
  }
}

TEST(SfpuLookupFormats, every_coefficient_and_immediate_of_16_bits) {
  for (u32 x = 0; x < 65536; ++x) {
    const double sign = (x & 0x8000) != 0 ? -1.0 : 1.0;
    const int exponent = static_cast<int>(x >> 10 & 31);
    const double value = sign * (1.0 + (x & 1023) / 1024.0) * std::exp2(exponent - 15);
    ASSERT_EQ(std::bit_cast<float>(fp32_of_immediate_fp16(x)), value);
    if (exponent != 31) {
      ASSERT_EQ(std::bit_cast<float>(fp32_of_lut16(x)), value);
    } else {
      ASSERT_EQ(fp32_exponent(fp32_of_lut16(x)), 0u);  // zero inside the multiply-add
    }
  }
}

}  // namespace
}  // namespace bhemu::numeric
