// The multiply-add of the vector unit against the host's IEEE arithmetic where both must agree, and
// against a model in exact wide integers everywhere; the approximations of SFPARECIP.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "numeric/sfpu_float.hpp"
#include "numeric/sfpu_kernels.hpp"
#include "support/mul_add_model.hpp"
#include "support/rounds.hpp"

namespace bhemu::numeric {
namespace {

using test::MulAddModel;
using test::special_values;

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
  std::mt19937_64 random(test::seed(20261121));
  const u64 rounds = test::rounds(400'000);
  for (u64 i = 0; i < rounds; ++i) {
    const auto [x, y, z] = test::draw_mul_add(random, i);
    ASSERT_EQ(sfpu_mul_add(x, y, z), MulAddModel::of(x, y, z))
        << std::hex << x << " " << y << " " << z;
  }
}

TEST(SfpuMulAdd, the_vector_kernel_matches_the_wide_integer_model_on_random_operands) {
  std::mt19937_64 random(test::seed(1968));
  const u64 rounds = 1 + test::rounds(400'000) / kLanes;
  Lanes x, y, z;
  for (u64 i = 0; i < rounds; ++i) {
    for (u32 lane = 0; lane < kLanes; ++lane) {
      const auto operands = test::draw_mul_add(random, lane);
      x[lane] = operands.x;
      y[lane] = operands.y;
      z[lane] = operands.z;
    }
    const u32 flip_x = (i & 1) << 31;
    const u32 flip_z = (i & 2) << 30;
    Lanes result;
    sfpu_mul_add_lanes({x, y, z, flip_x, flip_z}, ~0u, result);
    for (u32 lane = 0; lane < kLanes; ++lane)
      ASSERT_EQ(result[lane], MulAddModel::of(x[lane] ^ flip_x, y[lane], z[lane] ^ flip_z))
          << std::hex << x[lane] << " " << y[lane] << " " << z[lane];
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
