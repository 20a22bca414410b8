// The matrix unit's products of 8-bit formats: every pair, through the instructions, with cells as
// the unpackers make them. All of them are exact in a 32-bit Dst.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "numeric/format_unpack.hpp"
#include "tensix/unit_bench.hpp"

namespace bhemu::tensix {
namespace {

using numeric::Format;

std::array<u32, 256> cells_of(Format format, const numeric::UnpackFlags& flags) {
  std::array<u32, 256> cells{};
  const numeric::UnpackRow convert = numeric::unpack_row_to_src(format, format, flags);
  const u8 exponents[16] = {};
  for (u32 first = 0; first < 256; first += 16) {
    u32 datums[16];
    for (u32 i = 0; i < 16; ++i) datums[i] = first + i;
    EXPECT_TRUE(convert(datums, exponents, &cells[first]));
  }
  return cells;
}

/// Sixteen left factors against eight right ones at a time, in both multiplying instructions.
class EveryPair {
 public:
  EveryPair(Format format, const std::array<u32, 256>& cells, bool matrix)
      : cells_(cells), matrix_(matrix) {
    const u32 code = static_cast<u32>(format);
    bench_.set_source_formats(code, code);
    bench_.set<cfg::ALU_ACC_CTRL_INT8_math_enabled>(format == Format::Int8);
    bench_.set<cfg::ALU_ACC_CTRL_Fp32_enabled>(format != Format::Int8);
  }

  /// `expected(a, b)` is the datum of Dst for codes a of SrcA and b of SrcB.
  template <class F>
  void check(F expected) {
    for (u32 a = 0; a < 256; a += 16) {
      for (u32 b = 0; b < 256; b += 8) {
        multiply(a, b);
        for (u32 i = 0; i < 8; ++i)
          for (u32 j = 0; j < 16; ++j)
            ASSERT_EQ(numeric::fp32_from_dst(bench_.dst().read32(i, j)), expected(a + j, b + i))
                << a + j << " times " << b + i;
      }
    }
    EXPECT_TRUE(bench_.faults().faults().empty());
  }

 private:
  void multiply(u32 a, u32 b) {
    auto& left = bench_.fpu().src_a.bank[0];
    auto& right = bench_.fpu().src_b.bank[0];
    for (u32 i = 0; i < 16; ++i) {
      left[i].datum.fill(0);
      right[i].datum.fill(0);
    }
    for (u32 i = 0; i < 8; ++i) {
      for (u32 j = 0; j < 16; ++j) {
        bench_.dst().write32(i, j, 0);
        if (matrix_) continue;
        left[i].datum[j] = cells_[a + j];
        right[i].datum[j] = cells_[b + i];
      }
      // A matrix product of one lane: row 5 of SrcA with column 5 of SrcB.
      if (matrix_) right[i].datum[5] = cells_[b + i];
    }
    for (u32 j = 0; j < 16 && matrix_; ++j) left[5].datum[j] = cells_[a + j];
    for (u32 phase = 0; phase < 4; ++phase) {
      bench_.rwc().fidelity = static_cast<u8>(phase);
      if (matrix_)
        bench_.run<op::MVMUL>();
      else
        bench_.run<op::ELWMUL>();
    }
  }

  UnitBench bench_;
  std::array<u32, 256> cells_;
  bool matrix_;
};

u32 sign_magnitude(i32 value) {
  return value < 0 ? 0x80000000u | static_cast<u32>(-value) : static_cast<u32>(value);
}

TEST(FpuEveryPair, of_int8_and_of_uint8_has_its_product_after_four_phases) {
  for (const bool matrix : {false, true}) {
    for (const bool is_unsigned : {false, true}) {
      numeric::UnpackFlags flags;
      flags.int8_unsigned = is_unsigned;
      const auto number = [&](u32 code) {
        const i32 magnitude = static_cast<i32>(code & 0x7F);
        return is_unsigned ? static_cast<i32>(code) : code >= 128 ? -magnitude : magnitude;
      };
      EveryPair(Format::Int8, cells_of(Format::Int8, flags), matrix).check([&](u32 a, u32 b) {
        return sign_magnitude(number(a) * number(b));
      });
    }
  }
}

/// The numbers of FP16 that the 8-bit codes stand for; exponent 0 is zero. No phase takes the last
/// bit of SrcA's mantissa, which only the largest numbers of E5M2 have.
float fp8_number(u32 cell, u32 mantissa_mask) {
  const int exponent = static_cast<int>(cell >> 23 & 31);
  if (exponent == 0) return 0.0F;
  const double value = std::ldexp(1024 + (cell >> 13 & mantissa_mask), exponent - 25);
  return static_cast<float>((cell >> 31) != 0 ? -value : value);
}

TEST(FpuEveryPair, of_fp8_has_its_exact_product_after_four_phases) {
  for (const bool matrix : {false, true}) {
    for (const bool e4m3 : {false, true}) {
      numeric::UnpackFlags flags;
      flags.fp8_e4m3 = e4m3;
      const auto cells = cells_of(Format::Fp8, flags);
      EveryPair(Format::Fp8, cells, matrix).check([&](u32 a, u32 b) {
        const float product = fp8_number(cells[a], 1022) * fp8_number(cells[b], 1023);
        return product == 0.0F ? 0u : std::bit_cast<u32>(product);
      });
    }
  }
}

}  // namespace
}  // namespace bhemu::tensix
