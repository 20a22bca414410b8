// Accumulation onto L1 against measured vectors and against exact integer models.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "numeric/format_accumulate.hpp"

namespace bhemu::numeric {
namespace {

// Section 14.2 of the numerics notes, "acc".
TEST(FormatAccumulate, gives_the_measured_fp32_sums) {
  EXPECT_EQ(accumulate_fp32(0x33800000, 0x3F800000), 0x3F800000u);
  EXPECT_EQ(accumulate_fp32(0x7F800000, 0xFF800000), 0x7FC00000u);
  EXPECT_EQ(accumulate_fp32(0x80000001, 0x00000001), 0x00000000u);
  EXPECT_EQ(accumulate_fp32(0x3F800000, 0x7FC00001), 0x7FC00000u);
  EXPECT_EQ(accumulate_fp32(0x80000000, 0x80000001), 0x80000000u);
}

TEST(FormatAccumulate, gives_the_measured_bf16_sums) {
  EXPECT_EQ(accumulate_bf16(0x3F80, 0x3F80), 0x4000);
  EXPECT_EQ(accumulate_bf16(0x3F80, 0x3B80), 0x3F80);
  EXPECT_EQ(accumulate_bf16(0x7F80, 0xFF80), 0x7FC0);
  EXPECT_EQ(accumulate_bf16(0x7FC1, 0xBF80), 0x7F80);
  EXPECT_EQ(accumulate_bf16(0x7FC1, 0x7F80), 0x7F80);
  EXPECT_EQ(accumulate_bf16(0x3F3F, 0x0000), 0x3F3F);
  EXPECT_EQ(accumulate_bf16(0x3F3F, 0x3F80), 0x3FE0);
}

TEST(FormatAccumulate, gives_the_measured_fp16_sums_with_their_saturations) {
  EXPECT_EQ(accumulate_fp16(0x3C00, 0x3C00), 0x4000);
  EXPECT_EQ(accumulate_fp16(0x3C00, 0xBC00), 0x0000);
  EXPECT_EQ(accumulate_fp16(0x7800, 0xF800), 0x7FFF);
  EXPECT_EQ(accumulate_fp16(0x7400, 0xF400), 0x0000);
  EXPECT_EQ(accumulate_fp16(0x0400, 0x8401), 0xFFFF);
  EXPECT_EQ(accumulate_fp16(0x0A00, 0x8800), 0x0400);
  EXPECT_EQ(accumulate_fp16(0x7BFF, 0x7BFF), 0x7FFF);
  EXPECT_EQ(accumulate_fp16(0x0C01, 0x8C00), 0x7FFF);
}

/// `value` rounded to `keep` significant bits, ties to even, as mantissa and exponent of its unit.
u64 nearest_even(u64 value, int keep, int& shift) {
  int length = 64 - std::countl_zero(value);
  shift = length - keep;
  if (shift <= 0) return value;
  const u64 low = value & ((u64{1} << shift) - 1);
  const u64 half = u64{1} << (shift - 1);
  u64 result = value >> shift;
  if (low > half || (low == half && (result & 1) != 0)) ++result;
  return result;
}

TEST(FormatAccumulate, bf16_sums_are_exact_sums_rounded_to_nearest_even) {
  std::mt19937 random(21);
  for (int i = 0; i < 300000; ++i) {
    const u32 base = 30 + random() % 190;
    const auto draw = [&] {
      return static_cast<u16>((random() & 0x8000) | (base + random() % 24) << 7 |
                              (random() & 0x7F));
    };
    const u16 a = draw();
    const u16 b = draw();
    const auto units = [&](u16 v) {
      const i64 m = i64{128 + (v & 0x7F)} << ((v >> 7 & 0xFF) - static_cast<int>(base));
      return (v & 0x8000) != 0 ? -m : m;
    };
    const i64 sum = units(a) + units(b);
    u16 expected = 0;
    if (sum != 0) {
      int shift;
      const u64 mantissa = nearest_even(static_cast<u64>(std::abs(sum)), 8, shift);
      const double value = std::ldexp(static_cast<double>(mantissa),
                                      std::max(shift, 0) + static_cast<int>(base) - 134);
      expected = static_cast<u16>(std::bit_cast<u32>(static_cast<float>(value)) >> 16);
      if (sum < 0) expected |= 0x8000;
    }
    EXPECT_EQ(accumulate_bf16(a, b), expected) << std::hex << a << " " << b;
  }
}

TEST(FormatAccumulate, fp16_sums_follow_the_saturation_rules_for_random_pairs) {
  std::mt19937 random(22);
  for (int i = 0; i < 300000; ++i) {
    const u16 a = static_cast<u16>(random());
    const u16 b =
        i % 3 == 0 ? static_cast<u16>(a ^ 0x8000 ^ (random() & 7)) : static_cast<u16>(random());
    const auto units = [](u16 v) {  // units of 2^-25
      const int e = v >> 10 & 31;
      const i64 m = e == 0 ? 0 : i64{1024 + (v & 0x3FF)} << e;
      return (v & 0x8000) != 0 ? -m : m;
    };
    const i64 sum = units(a) + units(b);
    if (sum == 0) continue;  // signs of zero and the huge cancellation have vectors of their own
    int first;
    const u64 wide = nearest_even(static_cast<u64>(std::abs(sum)), 24, first);
    const u64 binary32 = first > 0 ? wide << first : wide;
    const int e = 63 - std::countl_zero(binary32) - 10;
    u32 expected;
    if (e < 0) {
      expected = 0x7FFF;
    } else if (e == 0) {
      expected = 0;
    } else {
      int shift;
      u64 mantissa = nearest_even(binary32, 11, shift);
      if (shift < 0) mantissa <<= -shift;
      expected = static_cast<u32>(static_cast<u64>(e) * 1024 + mantissa - 1024);
      expected = std::min(expected, 0x7FFFu);
    }
    if (sum < 0) expected |= 0x8000;
    EXPECT_EQ(accumulate_fp16(a, b), expected) << std::hex << a << " " << b;
  }
}

}  // namespace
}  // namespace bhemu::numeric
