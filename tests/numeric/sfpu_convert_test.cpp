// Conversions of the vector unit: every 16-bit input, and properties over wide ones.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "numeric/sfpu_convert.hpp"

namespace bhemu::numeric {
namespace {

double value_of(u32 v) {
  return std::bit_cast<float>(v);
}

TEST(SfpuConvert, every_fp16_pattern_loads_as_its_value_and_stores_back) {
  for (u32 x = 0; x < 65536; ++x) {
    const u16 stored = dst_from_fp16(static_cast<u16>(x));
    const u32 loaded = sfpu_load_fp16(stored, false);
    const int exponent = static_cast<int>(x >> 10 & 31);
    ASSERT_EQ(loaded >> 31, x >> 15);
    if (exponent == 0) {
      ASSERT_EQ(loaded & 0x7FFFFFFF, (x & 1023) << 13);
      ASSERT_EQ(sfpu_store_fp16(loaded), stored & 0x8000);
      continue;
    }
    ASSERT_EQ(std::abs(value_of(loaded)), (1.0 + (x & 1023) / 1024.0) * std::exp2(exponent - 15));
    ASSERT_EQ(sfpu_store_fp16(loaded), stored);
    ASSERT_EQ(sfpu_store_fp16(loaded | 0x1FFF), stored);  // truncated
    const bool largest = (x & 0x7FFF) == 0x7FFF;
    ASSERT_EQ(sfpu_load_fp16(stored, true), largest ? (loaded & 0x80000000) | 0x7F800000 : loaded);
  }
}

TEST(SfpuConvert, every_bf16_pattern_loads_exactly_and_stores_back_but_for_denormals) {
  for (u32 x = 0; x < 65536; ++x) {
    const u16 stored = dst_from_bf16(static_cast<u16>(x));
    ASSERT_EQ(sfpu_load_bf16(stored), x << 16);
    const bool denormal = (x & 0x7F80) == 0;
    ASSERT_EQ(sfpu_store_bf16(x << 16), denormal ? x & 0x8000 : stored);
    ASSERT_EQ(sfpu_store_bf16(x << 16 | 0xFFFF), denormal ? x & 0x8000 : stored);
  }
}

TEST(SfpuConvert, every_16_bit_integer_pattern) {
  for (u32 x = 0; x < 65536; ++x) {
    const u16 h = static_cast<u16>(x);
    const u32 sign = (x & 0x8000) << 16;
    ASSERT_EQ(sfpu_load_int16(h), sign + (x & 0x7FFF));
    ASSERT_EQ(sfpu_store_int16(sfpu_load_int16(h)), h);
    ASSERT_EQ(sfpu_load_int8(h, 10), sign + (x >> 5 & 1023));
    ASSERT_EQ(sfpu_load_int8(h, 8), sign + (x >> 5 & 255));
    ASSERT_EQ(sfpu_store_int8(sfpu_load_int8(h, 10)), (x & 0xFFE0) | 16);
  }
}

TEST(SfpuConvert, dst_layouts_are_inverse_for_every_16_bit_pattern) {
  for (u32 x = 0; x < 65536; ++x) {
    const u16 h = static_cast<u16>(x);
    ASSERT_EQ(bf16_from_dst(dst_from_bf16(h)), h);
    ASSERT_EQ(fp16_from_dst(dst_from_fp16(h)), h);
    ASSERT_EQ(dst_from_fp32(x << 16) >> 16, dst_from_bf16(h));
    ASSERT_EQ(fp32_from_dst(x << 16) >> 16, bf16_from_dst(h));
  }
}

TEST(SfpuConvert, integers_become_the_nearest_float_as_the_host_rounds) {
  std::mt19937 random(3);
  for (u32 i = 0; i < 400'000; ++i) {
    const u32 magnitude = (random() & 0x7FFFFFFF) >> (i % 31);
    const auto host = std::bit_cast<u32>(static_cast<float>(magnitude));
    ASSERT_EQ(sfpu_float_of_integer(magnitude), host);
    ASSERT_EQ(sfpu_float_of_integer(magnitude | 0x80000000), host | 0x80000000);
    if (magnitude < (1u << 24)) {
      ASSERT_EQ(sfpu_float_of_integer_stochastic(magnitude, ~0u), host);
    }
  }
}

TEST(SfpuConvert, stochastic_cast_compares_seven_bits) {
  // 2^24 + 1 needs one bit more than there is: rest 0x80 of 0xFE.
  EXPECT_EQ(sfpu_float_of_integer_stochastic(0x01000001, 0x7Eu << 9), 0x4B800001u);
  EXPECT_EQ(sfpu_float_of_integer_stochastic(0x01000001, 0x80u << 9), 0x4B800000u);
  EXPECT_EQ(sfpu_float_of_integer_stochastic(0x81000001, 0x81u << 9), 0xCB800000u);
}

TEST(SfpuConvert, sign_representations_swap_and_swap_back) {
  std::mt19937 random(5);
  for (u32 i = 0; i < 100'000; ++i) {
    const u32 v = random();
    ASSERT_EQ(sfpu_swap_sign_representation(sfpu_swap_sign_representation(v)), v);
    const i64 value = (v >> 31) != 0 ? -static_cast<i64>(v & 0x7FFFFFFF) : static_cast<i64>(v);
    if (v != 0x80000000) {
      ASSERT_EQ(static_cast<i32>(sfpu_swap_sign_representation(v)), value);
    }
  }
}

TEST(SfpuConvert, nearest_rounding_to_bf16_and_tf32_is_away_from_zero_for_every_upper_half) {
  constexpr u32 kNearest = sfpu_round_threshold(SfpuRounding::Nearest, 0);
  for (u32 upper = 0; upper < 65536; ++upper) {
    for (const u32 low : {0x0000u, 0x0FFFu, 0x1000u, 0x7FFFu, 0x8000u, 0xF000u, 0xFFFFu}) {
      const u32 v = upper << 16 | low;
      const u32 exponent = v >> 23 & 255;
      for (const u32 dropped : {13u, 16u}) {
        const u32 result = sfpu_round_float(v, dropped, kNearest);
        if (exponent == 0) {
          ASSERT_EQ(result, 0u);
        } else if (exponent == 255) {
          ASSERT_EQ(result, (v & 0x80000000) | 0x7F800000);
        } else {
          const u32 half = 1u << (dropped - 1);
          ASSERT_EQ(result, (v + half) >> dropped << dropped);
        }
      }
    }
  }
}

TEST(SfpuConvert, rounding_to_integers_is_away_from_zero_and_clamped) {
  constexpr u32 kNearest = sfpu_round_threshold(SfpuRounding::Nearest, 0);
  std::mt19937 random(9);
  for (u32 i = 0; i < 400'000; ++i) {
    const u32 v = (random() & 0x807FFFFF) | (120 + i % 30) << 23;
    const double value = std::abs(value_of(v));
    // One bit of the fraction is lost between 1/2 and 1, which a threshold of 1/2 cannot see.
    const double rounded = std::floor(value + 0.5);
    for (const u32 limit : {127u, 32767u, 255u, 65535u}) {
      const bool keep = limit == 127 || limit == 32767;
      const u32 magnitude = rounded > limit ? limit : static_cast<u32>(rounded);
      const u32 sign = keep && magnitude != 0 ? v & 0x80000000 : 0;
      ASSERT_EQ(sfpu_round_to_integer(v, limit, keep, kNearest), sign | magnitude) << value;
    }
  }
}

TEST(SfpuConvert, rounding_to_zero_goes_wrong_for_three_values_only_as_documented) {
  constexpr u32 kZero = sfpu_round_threshold(SfpuRounding::Zero, 0);
  u32 wrong = 0;
  for (u32 v = 0x3F000000; v < 0x40000000; ++v) {
    const u32 truncated = static_cast<u32>(value_of(v));
    wrong += sfpu_round_to_integer(v, 127, true, kZero) != truncated;
  }
  EXPECT_EQ(wrong, 3u);
}

TEST(SfpuConvert, integers_are_divided_rounded_and_clamped) {
  constexpr u32 kNearest = sfpu_round_threshold(SfpuRounding::Nearest, 0);
  for (u32 shift = 0; shift < 32; ++shift) {
    for (const u32 v : {0u, 1u, 2u, 3u, 24u, 127u, 128u, 255u, 4095u, 0x7FFFFFFFu}) {
      const double exact = std::floor(v / std::exp2(shift) + 0.5);
      const u32 unsigned_result = exact > 255 ? 255 : static_cast<u32>(exact);
      const u32 signed_result = exact > 127 ? 127 : static_cast<u32>(exact);
      EXPECT_EQ(sfpu_round_integer(v | 0x80000000, shift, 255, false, kNearest), unsigned_result);
      EXPECT_EQ(sfpu_round_integer(v | 0x80000000, shift, 127, true, kNearest),
                signed_result == 0 ? 0 : signed_result | 0x80000000);
    }
  }
}

}  // namespace
}  // namespace bhemu::numeric
