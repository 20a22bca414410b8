// The kernels on 32 lanes against the scalar functions, on every kind of vector the host has.
#include "numeric/sfpu_kernels.hpp"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <array>
#include <random>

#include "numeric/sfpu_convert.hpp"
#include "numeric/sfpu_float.hpp"

namespace bhemu::numeric {
namespace {

/// Special patterns, neighbours of earlier operands, small integers, exponent edges, any bits.
class Operands {
 public:
  u32 next() {
    constexpr u32 kSpecial[] = {0,          0x80000000, 1,          0x807FFFFF, 0x00800000,
                                0x80800000, 0x00FFFFFF, 0x3F800000, 0xBF800000, 0x3F7FFFFF,
                                0x33800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000,
                                0x7FC00000, 0x7F800001, 0xFFC00001, 0x20000000, 0x7F000000};
    const u32 any = random_();
    switch (random_() % 8) {
      case 0:
        return kSpecial[any % std::size(kSpecial)];
      case 1:
        return last_ = last_ ^ 0x80000000 ^ (any % 16);
      case 2:
        return last_ = (any & 0x807FFFFF) | (random_() % 4) << 23;
      case 3:
        return last_ = (any & 0x807FFFFF) | (252 + random_() % 4) << 23;
      case 4:
      case 5:
        return last_ = (any & 0x807FFFFF) | (110 + random_() % 36) << 23;
      case 6:
        return last_ = any & 0xFFFF0000;
      default:
        return last_ = any;
    }
  }
  Lanes lanes() {
    Lanes result;
    for (u32& lane : result.lane) lane = next();
    return result;
  }

 private:
  std::mt19937 random_{7};
  u32 last_ = 0x3F800000;
};

/// Near-cancelling sums: z is about -(x * y).
Lanes cancelling(const Lanes& x, const Lanes& y, u32 step) {
  Lanes z;
  for (u32 i = 0; i < kLanes; ++i)
    z[i] = (sfpu_mul_add(x[i], y[i], 0) ^ 0x80000000) + i % 5 - 2 + (step << 23) * (i % 3);
  return z;
}

void expect_equal(const Lanes& x, const Lanes& y, const Lanes& z, u32 flip_x, u32 flip_z) {
  Lanes result;
  sfpu_mul_add_lanes({x, y, z, flip_x, flip_z}, kAllLanes, result);
  for (u32 i = 0; i < kLanes; ++i)
    ASSERT_EQ(result[i], sfpu_mul_add(x[i] ^ flip_x, y[i], z[i] ^ flip_z))
        << std::hex << x[i] << " * " << y[i] << " + " << z[i] << " lane " << i;
}

class SfpuKernels : public testing::TestWithParam<int64_t> {
 protected:
  void SetUp() override { hwy::SetSupportedTargetsForTest(GetParam()); }
  void TearDown() override { hwy::SetSupportedTargetsForTest(0); }
};

TEST_P(SfpuKernels, multiply_add_has_the_bits_of_the_scalar_one) {
  Operands operands;
  for (u32 round = 0; round < 20'000; ++round) {
    const Lanes x = operands.lanes();
    const Lanes y = operands.lanes();
    const u32 flip_x = round % 2 << 31;
    const u32 flip_z = round / 2 % 2 << 31;
    expect_equal(x, y, operands.lanes(), flip_x, flip_z);
    expect_equal(x, y, cancelling(x, y, round % 30), 0, 0);
    if (HasFatalFailure()) return;
  }
}

/// Operands of ordinary size in every lane, so that whole vectors take the way that has no special
/// cases: `x_bits`, `y_bits` and `z_bits` of the mantissa are used, exponents lie `spread` apart.
struct Tame {
  u32 x_bits, y_bits, z_bits, spread;
};

TEST_P(SfpuKernels, multiply_add_of_ordinary_operands_has_the_bits_of_the_scalar_one) {
  constexpr Tame kKinds[] = {{7, 7, 23, 3},   {7, 7, 7, 40},    {23, 23, 23, 1}, {23, 23, 23, 6},
                             {23, 7, 23, 3},  {23, 0, 23, 30},  {23, 23, 0, 2},  {12, 12, 23, 30},
                             {12, 13, 23, 6}, {23, 23, 23, 60}, {10, 10, 10, 2}, {14, 13, 8, 34}};
  std::mt19937 random{11};
  const auto number = [&](u32 bits, u32 spread) {
    const u32 exponent = 127 - spread / 2 + random() % spread;
    const u32 mantissa = random() & 0x7FFFFF & ~((1u << (23 - bits)) - 1);
    return (random() & 0x80000000) | exponent << 23 | mantissa;
  };
  for (const Tame& kind : kKinds) {
    for (u32 round = 0; round < 4'000; ++round) {
      Lanes x, y, z;
      for (u32 i = 0; i < kLanes; ++i) {
        x[i] = number(kind.x_bits, kind.spread);
        y[i] = number(kind.y_bits, kind.spread);
        z[i] = round % 7 == 0 ? (round & 1) << 31 : number(kind.z_bits, kind.spread);
        if (round % 16 == 3) x[i] = random() & 0x80000000;
      }
      expect_equal(x, y, z, 0, round % 2 << 31);
      expect_equal(x, y, cancelling(x, y, round % 3), 0, 0);
      expect_equal(x, y, cancelling(x, y, 0), 0, 0);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(SfpuKernels, multiply_add_changes_only_the_lanes_of_the_mask_also_in_place) {
  Operands operands;
  std::mt19937 random{5};
  for (u32 round = 0; round < 2'000; ++round) {
    const Lanes x = operands.lanes();
    const Lanes y = operands.lanes();
    const Lanes z = operands.lanes();
    const u32 mask = round % 10 == 0 ? 0xFFFFFFFF : static_cast<u32>(random());
    for (u32 place = 0; place < 4; ++place) {
      Lanes file[4] = {x, y, z, operands.lanes()};
      const Lanes before = file[place];
      sfpu_mul_add_lanes({file[0], file[1], file[2]}, mask, file[place]);
      for (u32 i = 0; i < kLanes; ++i)
        ASSERT_EQ(file[place][i],
                  (mask >> i & 1) != 0 ? sfpu_mul_add(x[i], y[i], z[i]) : before[i]);
    }
  }
}

/// What SfpuDstForm says of one lane.
u32 loaded(SfpuDstForm form, u16 high, u16 low) {
  if (form == SfpuDstForm::Bf16) return sfpu_load_bf16(high);
  if (form == SfpuDstForm::Fp16) return sfpu_load_fp16(high, false);
  return fp32_from_dst(u32{high} << 16 | low);
}

using DstFile = std::array<u16, 2 * kLanes>;

TEST_P(SfpuKernels, rows_of_dst_are_loaded_with_the_bits_of_the_scalar_functions) {
  std::mt19937 random{3};
  for (u32 round = 0; round < 20'000; ++round) {
    DstFile high, low;
    for (u16& datum : high) datum = static_cast<u16>(random());
    for (u16& datum : low) datum = static_cast<u16>(random());
    const SfpuDstRows rows{static_cast<SfpuDstForm>(round % 4), round / 4 % 2 != 0, high.data(),
                           low.data()};
    const u32 mask = round % 3 == 0 ? kAllLanes : static_cast<u32>(random());
    Lanes result = splat(0xABCD1234);
    sfpu_load_rows(rows, mask, result);
    for (u32 i = 0; i < kLanes; ++i) {
      const u32 at = 2 * i + (rows.odd ? 1 : 0);
      ASSERT_EQ(result[i],
                (mask >> i & 1) != 0 ? loaded(rows.form, high[at], low[at]) : 0xABCD1234);
    }
  }
}

TEST_P(SfpuKernels, rows_of_dst_are_stored_with_the_bits_of_the_scalar_functions) {
  std::mt19937 random{4};
  Operands operands;
  for (u32 round = 0; round < 20'000; ++round) {
    DstFile high, low;
    for (u16& datum : high) datum = static_cast<u16>(random());
    for (u16& datum : low) datum = static_cast<u16>(random());
    const SfpuDstRows rows{static_cast<SfpuDstForm>(round % 4), round / 4 % 2 != 0, high.data(),
                           low.data()};
    DstFile wanted_high = high;
    DstFile wanted_low = low;
    const Lanes value = operands.lanes();
    for (u32 i = 0; i < kLanes; ++i) {
      const u32 at = 2 * i + (rows.odd ? 1 : 0);
      const bool single = rows.form == SfpuDstForm::Single;
      const u32 word = dst_from_fp32(single ? sfpu_flush(value[i]) : value[i]);
      wanted_high[at] = rows.form == SfpuDstForm::Bf16   ? sfpu_store_bf16(value[i])
                        : rows.form == SfpuDstForm::Fp16 ? sfpu_store_fp16(value[i])
                                                         : static_cast<u16>(word >> 16);
      if (rows.form >= SfpuDstForm::Word) wanted_low[at] = static_cast<u16>(word);
    }
    sfpu_store_rows(rows, value);
    ASSERT_EQ(high, wanted_high);
    ASSERT_EQ(low, wanted_low);
  }
}

TEST_P(SfpuKernels, masks_and_blends_are_those_of_plain_loops) {
  Operands operands;
  std::mt19937 random{6};
  for (u32 round = 0; round < 5'000; ++round) {
    const Lanes a = operands.lanes();
    const Lanes b = operands.lanes();
    ASSERT_EQ(sfpu_negative_lanes(a), mask_where(a, [](u32 v) { return (v >> 31) != 0; }));
    ASSERT_EQ(sfpu_nonzero_lanes(a), mask_where(a, [](u32 v) { return v != 0; }));
    const u32 mask = static_cast<u32>(random());
    Lanes target = a;
    Lanes wanted = a;
    sfpu_blend_lanes(target, b, mask);
    blend(wanted, b, mask);
    ASSERT_EQ(target, wanted);
  }
}

TEST_P(SfpuKernels, order_is_that_of_the_scalar_comparison) {
  Operands operands;
  for (u32 round = 0; round < 5'000; ++round) {
    const Lanes a = operands.lanes();
    Lanes b = operands.lanes();
    for (u32 i = 0; i < kLanes; i += 5) b[i] = a[i];
    u32 expected = 0;
    for (u32 i = 0; i < kLanes; ++i) expected |= static_cast<u32>(sfpu_is_smaller(a[i], b[i])) << i;
    ASSERT_EQ(sfpu_smaller_lanes(a, b), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Hosts, SfpuKernels, testing::ValuesIn(hwy::SupportedAndGeneratedTargets()),
                         [](const auto& info) { return hwy::TargetName(info.param); });

}  // namespace
}  // namespace bhemu::numeric
