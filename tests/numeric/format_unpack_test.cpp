// Conversions of the unpackers against measured vectors and against models by value.
#include <algorithm>
#include <cmath>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "numeric/format_unpack.hpp"

namespace bhemu::numeric {
namespace {

struct Vector {
  Format in, out;
  u32 datum;
  u32 exponent;
  u32 ieee19;
  u32 stored19;
  UnpackFlags flags = {};
};

u32 convert(Format in, Format out, u32 datum, u32 exponent, UnpackFlags flags = {}) {
  const UnpackRow row = unpack_row_to_src(in, out, flags);
  EXPECT_NE(row, nullptr);
  u32 datums[kRow] = {};
  u8 exponents[kRow] = {};
  u32 cells[kRow] = {};
  datums[3] = datum;
  exponents[3] = static_cast<u8>(exponent);
  EXPECT_TRUE(row(datums, exponents, cells));
  return cells[3];
}

/// Value of a cell that holds a number with 8 bits of exponent.
double value8(u32 cell) {
  const double m = 1.0 + ((cell >> 13) & 0x3FF) / 1024.0;
  const double v = std::ldexp(m, static_cast<int>((cell >> 23) & 0xFF) - 127);
  return (cell >> 31) != 0 ? -v : v;
}
/// Value of a cell that holds an FP16 number.
double value5(u32 cell) {
  const double m = 1.0 + ((cell >> 13) & 0x3FF) / 1024.0;
  const double v = std::ldexp(m, static_cast<int>((cell >> 23) & 0xFF) - 15);
  return (cell >> 31) != 0 ? -v : v;
}

constexpr UnpackFlags kE4m3{.fp8_e4m3 = true};
constexpr UnpackFlags kUnsigned{.int8_unsigned = true};
using F = Format;

// Measured on the open reference simulator, section 14.1 of the numerics notes.
const Vector kMeasured[] = {
    {F::Fp32, F::Tf32, 0x3F801FFF, 0, 0x1FC00, 0x0007F},
    {F::Fp32, F::Tf32, 0x007FFFFF, 0, 0x003FF, 0x3FF00},
    {F::Fp32, F::Tf32, 0x7FC00001, 0, 0x3FE00, 0x200FF},
    {F::Fp32, F::Tf32, 0x80000000, 0, 0x40000, 0x40000},
    {F::Fp32, F::Bf16, 0x3F80FFFF, 0, 0x1FC00, 0x0007F},
    {F::Fp32, F::Bf16, 0x807FFFFF, 0, 0x40000, 0x40000},
    {F::Fp32, F::Bf16, 0x7F800001, 0, 0x3FC00, 0x000FF},
    {F::Fp32, F::Bf16, 0xC0490FDB, 0, 0x60248, 0x64880},
    {F::Fp32, F::Fp16, 0x3F800000, 0, 0x03C00, 0x0000F},
    {F::Fp32, F::Fp16, 0x37FFFFFF, 0, 0x00000, 0x00000},
    {F::Fp32, F::Fp16, 0x38000001, 0, 0x00000, 0x00000},
    {F::Fp32, F::Fp16, 0x387FE000, 0, 0x003FF, 0x3FF00},
    {F::Fp32, F::Fp16, 0x47FFFFFF, 0, 0x07FFF, 0x3FF1F},
    {F::Fp32, F::Fp16, 0x48000000, 0, 0x07FFF, 0x3FF1F},
    {F::Fp32, F::Fp16, 0xFF800000, 0, 0x47FFF, 0x7FF1F},
    {F::Fp16, F::Fp16, 0x3C00, 0, 0x03C00, 0x0000F},
    {F::Fp16, F::Fp16, 0x8001, 0, 0x40001, 0x40100},
    {F::Fp16, F::Fp16, 0x7C00, 0, 0x07C00, 0x0001F},
    {F::Fp16, F::Fp16, 0xFFFF, 0, 0x47FFF, 0x7FF1F},
    {F::Bf16, F::Bf16, 0x3F80, 0, 0x1FC00, 0x0007F},
    {F::Bf16, F::Bf16, 0x0001, 0, 0x00008, 0x00800},
    {F::Bf16, F::Bf16, 0x7FC1, 0, 0x3FE08, 0x208FF},
    {F::Bf16, F::Bf16, 0xFF80, 0, 0x7FC00, 0x400FF},
    {F::Bfp8, F::Bfp8, 0x40, 0x7F, 0x1FC00, 0x0007F},
    {F::Bfp8, F::Bfp8, 0xC1, 0x7F, 0x5FC10, 0x4107F},
    {F::Bfp8, F::Bfp8, 0x01, 0x7F, 0x1E400, 0x00079},
    {F::Bfp8, F::Bfp8, 0x80, 0x7F, 0x7FC00, 0x400FF},
    {F::Bfp8, F::Bfp8, 0x7F, 0xFF, 0x3FFF0, 0x3F0FF},
    {F::Bfp8, F::Bfp8, 0x01, 0x03, 0x3F400, 0x000FD},
    {F::Bfp4, F::Bfp4, 0x1, 0x80, 0x1F800, 0x0007E},
    {F::Bfp4, F::Bfp4, 0x7, 0x80, 0x20300, 0x30080},
    {F::Bfp4, F::Bfp4, 0x8, 0x80, 0x7FC00, 0x400FF},
    {F::Bfp4, F::Bfp4, 0x9, 0x80, 0x5F800, 0x4007E},
    {F::Bfp4, F::Bfp4, 0x4, 0x00, 0x00000, 0x00000},
    {F::Bfp2, F::Bfp2, 0x0, 0x7F, 0x00000, 0x00000},
    {F::Bfp2, F::Bfp2, 0x1, 0x7F, 0x1FC00, 0x0007F},
    {F::Bfp2, F::Bfp2, 0x2, 0x7F, 0x7FC00, 0x400FF},
    {F::Bfp2, F::Bfp2, 0x3, 0x7F, 0x5FC00, 0x4007F},
    {F::Fp8, F::Fp8, 0x3C, 0, 0x03C00, 0x0000F},
    {F::Fp8, F::Fp8, 0x7B, 0, 0x07B00, 0x3001E},
    {F::Fp8, F::Fp8, 0x7C, 0, 0x07C00, 0x0001F},
    {F::Fp8, F::Fp8, 0x7F, 0, 0x07FFF, 0x3FF1F},
    {F::Fp8, F::Fp8, 0xFF, 0, 0x47FFF, 0x7FF1F},
    {F::Fp8, F::Fp8, 0x01, 0, 0x00100, 0x10000},
    {F::Fp8, F::Fp8, 0x38, 0, 0x03C00, 0x0000F, kE4m3},
    {F::Fp8, F::Fp8, 0x7E, 0, 0x05F00, 0x30017, kE4m3},
    {F::Fp8, F::Fp8, 0x7F, 0, 0x05FFF, 0x3FF17, kE4m3},
    {F::Fp8, F::Fp8, 0x01, 0, 0x00080, 0x08000, kE4m3},
    {F::Fp8, F::Fp8, 0x80, 0, 0x40000, 0x40000, kE4m3},
    {F::Fp8, F::Fp8, 0x08, 0, 0x02400, 0x00009, kE4m3},
    {F::Int8, F::Int8, 0x00, 0, 0x00000, 0x00000},
    {F::Int8, F::Int8, 0x80, 0, 0x40000, 0x40000},
    {F::Int8, F::Int8, 0x7F, 0, 0x0407F, 0x07F10},
    {F::Int8, F::Int8, 0xFF, 0, 0x4407F, 0x47F10},
    {F::Int8, F::Int8, 0x85, 0, 0x44005, 0x40510},
    {F::Int8, F::Int8, 0x80, 0, 0x04080, 0x08010, kUnsigned},
    {F::Int8, F::Int8, 0xFF, 0, 0x040FF, 0x0FF10, kUnsigned},
    {F::Int8, F::Int8, 0x01, 0, 0x04001, 0x00110, kUnsigned},
    {F::Int16, F::Int16, 0x1234, 0, 0x0D090, 0x09034},
    {F::Int16, F::Int16, 0xFFFF, 0, 0x7FFF8, 0x7F8FF},
    {F::Int16, F::Int16, 0x8001, 0, 0x40400, 0x40001},
};

class MeasuredCell : public ::testing::TestWithParam<Vector> {};

TEST_P(MeasuredCell, is_given_in_both_bit_orders) {
  const Vector& v = GetParam();
  const u32 cell = convert(v.in, v.out, v.datum, v.exponent, v.flags);
  EXPECT_EQ(ieee19_from_cell(cell), v.ieee19);
  EXPECT_EQ(src_bits_from_cell(cell), v.stored19);
  EXPECT_EQ(cell_from_src_bits(v.stored19), cell);
}

INSTANTIATE_TEST_SUITE_P(Unpack, MeasuredCell, ::testing::ValuesIn(kMeasured),
                         [](const ::testing::TestParamInfo<Vector>& info) {
                           const Vector& v = info.param;
                           const char* option = v.flags.fp8_e4m3        ? "e4m3_"
                                                : v.flags.int8_unsigned ? "unsigned_"
                                                                        : "";
                           return fmt::format("{}_to_{}_{}{:X}_exponent_{:X}", name_of(v.in),
                                              name_of(v.out), option, v.datum, v.exponent);
                         });

TEST(FormatUnpack, keeps_every_pattern_of_the_16_bit_formats) {
  for (u32 d = 0; d < 0x10000; ++d) {
    EXPECT_EQ(convert(F::Bf16, F::Bf16, d, 0), d << 16);
    const u32 fp16 = convert(F::Fp16, F::Fp16, d, 0);
    EXPECT_EQ((fp16 >> 31) << 15 | ((fp16 >> 23) & 0xFF) << 10 | ((fp16 >> 13) & 0x3FF), d);
    // INT16 in storage order: sign, bits 14..8 at the top of the mantissa, low byte below.
    const u32 stored = src_bits_from_cell(convert(F::Int16, F::Int16, d, 0));
    EXPECT_EQ(stored, (d & 0xFF00) << 3 | (d & 0xFF));
  }
}

TEST(FormatUnpack, block_floats_have_the_value_of_the_document_for_all_datums_and_exponents) {
  const struct {
    Format format;
    int bits;
  } kinds[] = {{F::Bfp8, 8}, {F::Bfp4, 4}, {F::Bfp2, 2}};
  for (const auto& kind : kinds) {
    for (u32 datum = 0; datum < (1u << kind.bits); ++datum) {
      const u32 magnitude = datum & ((1u << (kind.bits - 1)) - 1);
      const bool negative = (datum >> (kind.bits - 1)) != 0;
      for (u32 exponent = 0; exponent < 256; ++exponent) {
        const u32 cell = convert(kind.format, kind.format, datum, exponent);
        if (magnitude == 0) {
          EXPECT_EQ(cell, negative ? 0xFF800000u : 0u);
          continue;
        }
        const double expected =
            std::ldexp(magnitude, static_cast<int>(exponent) - 127 - (kind.bits - 2));
        const int leading = std::ilogb(expected) + 127;
        if (leading < 0) {  // the exponent wraps
          EXPECT_EQ((cell >> 23) & 0xFF, static_cast<u32>(leading + 256));
        } else {
          EXPECT_EQ(value8(cell), negative ? -expected : expected)
              << name_of(kind.format) << " " << datum << " " << exponent;
        }
      }
    }
  }
}

TEST(FormatUnpack, block_floats_with_5_bits_of_exponent_become_fp16_or_are_undefined) {
  const struct {
    Format format;
    int bits;
  } kinds[] = {{F::Bfp8a, 8}, {F::Bfp4a, 4}, {F::Bfp2a, 2}};
  for (const auto& kind : kinds) {
    const UnpackRow row = unpack_row_to_src(kind.format, kind.format, {});
    ASSERT_NE(row, nullptr);
    for (u32 datum = 0; datum < (1u << kind.bits); ++datum) {
      const u32 magnitude = datum & ((1u << (kind.bits - 1)) - 1);
      const bool negative = (datum >> (kind.bits - 1)) != 0;
      for (u32 exponent = 0; exponent < 256; ++exponent) {
        u32 datums[kRow] = {datum};
        u8 exponents[kRow] = {static_cast<u8>(exponent)};
        u32 cells[kRow];
        const bool defined = row(datums, exponents, cells);
        if (magnitude == 0) {
          EXPECT_TRUE(defined);
          EXPECT_EQ(ieee19_from_cell(cells[0]), negative ? 0x47C00u : 0u);  // FP16 0xFC00
          continue;
        }
        const double expected =
            std::ldexp(magnitude, static_cast<int>(exponent) - 15 - (kind.bits - 2));
        const int leading = std::ilogb(expected) + 15;
        EXPECT_EQ(defined, leading >= 0 && leading < 32) << datum << " " << exponent;
        if (defined) {
          EXPECT_EQ(value5(cells[0]), negative ? -expected : expected);
        }
      }
    }
  }
}

TEST(FormatUnpack, fp8_codes_have_their_value_in_fp16) {
  for (u32 d = 0; d < 256; ++d) {
    const double sign = (d & 0x80) != 0 ? -1.0 : 1.0;
    const u32 e5 = (d >> 2) & 31;
    if (e5 != 0 && (d & 0x7F) != 0x7F) {
      EXPECT_EQ(value5(convert(F::Fp8, F::Fp8, d, 0)),
                sign * std::ldexp(1.0 + (d & 3) / 4.0, static_cast<int>(e5) - 15));
    }
    const u32 e4 = (d >> 3) & 15;
    if (e4 != 0 && (d & 0x7F) != 0x7F) {
      EXPECT_EQ(value5(convert(F::Fp8, F::Fp8, d, 0, kE4m3)),
                sign * std::ldexp(1.0 + (d & 7) / 8.0, static_cast<int>(e4) - 7));
    }
  }
}

TEST(FormatUnpack, int8_codes_are_magnitudes_over_a_constant_exponent) {
  for (u32 d = 0; d < 256; ++d) {
    const u32 as_signed = ieee19_from_cell(convert(F::Int8, F::Int8, d, 0));
    EXPECT_EQ(as_signed & 0x3FF, d & 0x7F);
    EXPECT_EQ(as_signed >> 18, d >> 7);
    EXPECT_EQ((as_signed >> 10) & 0xFF, (d & 0x7F) == 0 ? 0u : 16u);
    const u32 as_unsigned = ieee19_from_cell(convert(F::Int8, F::Int8, d, 0, kUnsigned));
    EXPECT_EQ(as_unsigned, d == 0 ? 0 : 16u << 10 | d);
  }
}

TEST(FormatUnpack, fp32_to_fp16_truncates_inside_the_range_and_saturates_outside) {
  std::mt19937 random(7);
  for (int i = 0; i < 200000; ++i) {
    const u32 d = random();
    const u32 ieee = ieee19_from_cell(convert(F::Fp32, F::Fp16, d, 0));
    const float value = std::fabs(std::bit_cast<float>(d & 0x7FFFFFFF));
    EXPECT_EQ(ieee >> 18, d >> 31);
    if (std::isnan(value) || value >= 131072.0F) {
      EXPECT_EQ(ieee & 0x3FFFF, 0x7FFFu);
    } else if (value < std::ldexp(1.0F, -15)) {
      EXPECT_EQ(ieee & 0x3FFFF, 0u);
    } else {
      const int exponent = std::ilogb(value);
      const u32 mantissa = static_cast<u32>(std::ldexp(value, 10 - exponent)) & 0x3FF;
      EXPECT_EQ((ieee >> 10) & 0xFF, static_cast<u32>(exponent + 15));
      EXPECT_EQ(ieee & 0x3FF, mantissa);
    }
  }
}

/// Pairs of different formats whose registers hold the same cell.
constexpr std::pair<F, F> kSameExponent[] = {
    {F::Bfp8, F::Bf16},  {F::Bfp8, F::Tf32},  {F::Bfp4, F::Bfp8},  {F::Bfp4, F::Bf16},
    {F::Bfp4, F::Tf32},  {F::Bfp2, F::Bfp8},  {F::Bfp2, F::Bf16},  {F::Bfp2, F::Tf32},
    {F::Bfp8a, F::Fp16}, {F::Bfp4a, F::Fp16}, {F::Bfp2a, F::Fp16}, {F::Fp8, F::Fp16},
    {F::Bf16, F::Tf32},
};

bool same_exponent(F in, F out) {
  return std::find(std::begin(kSameExponent), std::end(kSameExponent), std::pair{in, out}) !=
         std::end(kSameExponent);
}

TEST(FormatUnpack, a_register_format_of_the_same_exponent_gets_the_same_cell) {
  for (const auto& [in, out] : kSameExponent)
    for (u32 datum = 0; datum < 256; ++datum)
      for (u32 exponent = 8; exponent < 32; ++exponent)
        EXPECT_EQ(convert(in, out, datum, exponent), convert(in, in, datum, exponent));
}

TEST(FormatUnpack, only_the_documented_pairs_reach_src) {
  for (u32 in = 0; in < 16; ++in) {
    for (u32 out = 0; out < 16; ++out) {
      const Format f = format_of(in);
      const Format t = format_of(out);
      bool expected = in == out && f != F::Fp32 && f != F::Tf32 && f != F::Int32 &&
                      f != F::Unused12 && f != F::Unused13;
      if (f == F::Fp32) expected = t == F::Tf32 || t == F::Bf16 || t == F::Fp16;
      expected = expected || same_exponent(f, t);
      EXPECT_EQ(unpack_row_to_src(f, t, {}) != nullptr, expected) << in << " to " << out;
    }
  }
}

TEST(FormatUnpack, only_the_documented_pairs_reach_dst) {
  for (u32 in = 0; in < 16; ++in) {
    for (u32 out = 0; out < 16; ++out) {
      const Format f = format_of(in);
      const Format t = format_of(out);
      bool expected = in == out && f != F::Unused12 && f != F::Unused13;
      if (f == F::Fp32) expected = t == F::Fp32 || t == F::Tf32 || t == F::Bf16 || t == F::Fp16;
      expected = expected || (same_exponent(f, t) && t != F::Tf32);
      EXPECT_EQ(unpack_form_in_dst(f, t) != DstForm::Undefined, expected) << in << " to " << out;
    }
  }
}

TEST(FormatUnpack, the_16_bit_view_of_dst_gets_each_format_in_its_storage_order) {
  for (u32 d = 0; d < 0x10000; ++d) {
    u32 cells[kRow] = {};
    u16 stored[kRow] = {};
    const u16 d16 = static_cast<u16>(d);
    cells[0] = convert(F::Bf16, F::Bf16, d, 0);
    cells[1] = convert(F::Int16, F::Int16, d, 0);
    dst16_from_cells(unpack_form_in_dst(F::Bf16, F::Bf16), cells, stored);
    EXPECT_EQ(bf16_from_dst(stored[0]), d16);
    EXPECT_EQ(stored[1], d16);  // INT16 is not permuted
    cells[0] = convert(F::Fp16, F::Fp16, d, 0);
    dst16_from_cells(unpack_form_in_dst(F::Fp16, F::Fp16), cells, stored);
    EXPECT_EQ(fp16_from_dst(stored[0]), d16);
  }
}

TEST(FormatLayout, permutations_of_dst_invert_each_other) {
  for (u32 d = 0; d < 0x10000; ++d) {
    const u16 v = static_cast<u16>(d);
    EXPECT_EQ(bf16_from_dst(dst_from_bf16(v)), v);
    EXPECT_EQ(fp16_from_dst(dst_from_fp16(v)), v);
    const u32 w = d << 16 | 0x5AA5;
    EXPECT_EQ(dst_from_fp32(w) >> 16, dst_from_bf16(v));
    EXPECT_EQ(dst_from_fp32(w) & 0xFFFF, 0x5AA5u);
    EXPECT_EQ(fp32_from_dst(dst_from_fp32(w)), w);
  }
}

}  // namespace
}  // namespace bhemu::numeric
