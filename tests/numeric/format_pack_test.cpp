// Conversions of the packer against measured vectors and against models by value.
#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "numeric/format_pack.hpp"

namespace bhemu::numeric {
namespace {

using F = Format;

struct Route {
  bool read_32b;
  Format intermediate;
  Format out;
  bool round_10b = false;
  bool raw = false;
  bool is_unsigned = false;
  Relu relu = {};
};

u32 to_storage(const Route& r, u32 value) {
  if (r.read_32b) return dst_from_fp32(value);
  const u16 v = static_cast<u16>(value);
  const bool fp16 = (r.intermediate == F::Fp16 && !r.round_10b) || r.intermediate == F::Bfp8a;
  if (r.intermediate == F::Int16) return v;
  return fp16 ? dst_from_fp16(v) : dst_from_bf16(v);
}

EarlyConversion early(const Route& r) {
  EarlyMode mode;
  mode.intermediate = r.intermediate;
  mode.out = r.out;
  mode.read_32b = r.read_32b;
  mode.read_unsigned = r.is_unsigned;
  mode.read_raw = r.raw;
  mode.round_10b_mant = r.round_10b;
  return early_conversion(mode);
}

/// One row through early conversion, ReLU and late conversion (E4M3 for FP8).
std::array<u32, kRow> pack_row(const Route& r, const std::array<u32, kRow>& stored) {
  const EarlyConversion conversion = early(r);
  EXPECT_NE(conversion.row, nullptr);
  std::array<u32, kRow> code{};
  std::array<u32, kRow> datum{};
  conversion.row(stored.data(), 0, code.data());
  relu_row(conversion.code, r.relu, code.data(), kRow);
  const LateRow late = late_conversion(conversion.code, r.out, true);
  EXPECT_NE(late, nullptr);
  late(code.data(), datum.data());
  return datum;
}

u32 pack(const Route& r, u32 value) {
  std::array<u32, kRow> stored{};
  stored[5] = to_storage(r, value);
  return pack_row(r, stored)[5];
}

struct Vector {
  Route route;
  u32 value;
  u32 stored;
  u32 out;
};

constexpr Route k32Bf16{true, F::Bf16, F::Bf16};
constexpr Route k32Fp32{true, F::Fp32, F::Fp32};
constexpr Route k32Fp16{true, F::Fp32, F::Fp16};
constexpr Route k32Fp16R{true, F::Fp16, F::Fp16, true};
constexpr Route k32Fp8R{true, F::Fp16, F::Fp8, true};
constexpr Route k32Int8{true, F::Int8, F::Int8};
constexpr Route k32Uint8{true, F::Int8, F::Int8, false, false, true};
constexpr Route k32Int32{true, F::Int32, F::Int32};
constexpr Route k16Int16{false, F::Int16, F::Int16};
constexpr Route k32Int16{true, F::Int16, F::Int16};
constexpr Route k16Bf16{false, F::Bf16, F::Bf16};
constexpr Route k16Bf16Fp32{false, F::Bf16, F::Fp32};
constexpr Route k16Bfp8Bf16{false, F::Bfp8, F::Bf16};
constexpr Route k16Bfp8Fp32{false, F::Bfp8, F::Fp32};
constexpr Route k16Fp16{false, F::Fp16, F::Fp16};
constexpr Route k16Fp16Fp32{false, F::Fp16, F::Fp32};
constexpr Route k16Fp16Bf16{false, F::Fp16, F::Bf16};
constexpr Route k16Fp16Fp8{false, F::Fp16, F::Fp8};
constexpr Route k16Fp8R{false, F::Fp16, F::Fp8, true};
constexpr Route with_relu(Route route, u32 mode) {
  route.relu = {mode, 0x3F80};
  return route;
}

// Measured on the open reference simulator, section 14.2 of the numerics notes.
const Vector kMeasured[] = {
    {k32Bf16, 0x3F808000, 0x007F8000, 0x3F81},
    {k32Bf16, 0x3F807FFF, 0x007F7FFF, 0x3F80},
    {k32Bf16, 0x3F818000, 0x017F8000, 0x3F82},
    {k32Bf16, 0xBF808000, 0x807F8000, 0xBF81},
    {k32Bf16, 0x80000000, 0x80000000, 0x0000},
    {k32Bf16, 0x007F8000, 0x7F008000, 0x0080},
    {k32Bf16, 0x807F7FFF, 0xFF007FFF, 0x0000},
    {k32Bf16, 0x7FC00000, 0x40FF0000, 0x7F80},
    {k32Bf16, 0xFF800001, 0x80FF0001, 0xFF80},
    {k32Bf16, 0x7F7FFFFF, 0x7FFEFFFF, 0x7F80},
    {k32Fp32, 0x80000000, 0x80000000, 0x80000000},
    {k32Fp32, 0x00000001, 0x00000001, 0x00000001},
    {k32Fp32, 0x7FC00001, 0x40FF0001, 0x7FC00001},
    {k32Fp32, 0xC0490FDB, 0xC9800FDB, 0xC0490FDB},
    {k32Fp16, 0x3F801FFF, 0x007F1FFF, 0x3C00},
    {k32Fp16, 0x37FFFFFF, 0x7F6FFFFF, 0x0000},
    {k32Fp16, 0x38000000, 0x00700000, 0x0000},
    {k32Fp16, 0x387FE000, 0x7F70E000, 0x03FF},
    {k32Fp16, 0x47FFE000, 0x7F8FE000, 0x7FFF},
    {k32Fp16, 0x48000000, 0x00900000, 0x7FFF},
    {k32Fp16, 0x80000001, 0x80000001, 0x8000},
    {k32Fp16, 0x7FC00000, 0x40FF0000, 0x7FFF},
    {k32Fp16R, 0x3F801000, 0x007F1000, 0x3C01},
    {k32Fp16R, 0x3F800FFF, 0x007F0FFF, 0x3C00},
    {k32Fp16R, 0x387FF000, 0x7F70F000, 0x0400},
    {k32Fp16R, 0x47FFF000, 0x7F8FF000, 0x7FFF},
    {k32Fp16R, 0x80000000, 0x80000000, 0x0000},
    {k32Fp16R, 0x38000000, 0x00700000, 0x0000},
    {k32Fp16R, 0x37FFF000, 0x7F6FF000, 0x0000},
    {k32Fp8R, 0x3F800000, 0x007F0000, 0x38},
    {k32Fp8R, 0x3C800000, 0x00790000, 0x08},
    {k32Fp8R, 0x3CFFFFFF, 0x7F79FFFF, 0x10},
    {k32Fp8R, 0x3C7FF000, 0x7F78F000, 0x08},
    {k32Fp8R, 0x43E00000, 0x60870000, 0x7E},
    {k32Fp8R, 0x43DFFFFF, 0x5F87FFFF, 0x7E},
    {k32Fp8R, 0x43FFFFFF, 0x7F87FFFF, 0x7F},
    {k32Fp8R, 0x44000000, 0x00880000, 0x7F},
    {k32Fp8R, 0xBF8F0000, 0x8F7F0000, 0xB8},
    {k32Int8, 0x0000007F, 0x0000007F, 0x7F},
    {k32Int8, 0x00000080, 0x00000080, 0x7F},
    {k32Int8, 0x80000005, 0x80000005, 0x85},
    {k32Int8, 0x80000100, 0x80000100, 0xFF},
    {k32Int8, 0x80000000, 0x80000000, 0x80},
    {k32Uint8, 0x000000FF, 0x000000FF, 0xFF},
    {k32Uint8, 0x00000100, 0x00000100, 0xFF},
    {k32Uint8, 0x80000005, 0x80000005, 0x00},
    {k32Int32, 0x80000000, 0x80000000, 0x80000000},
    {k32Int32, 0x12345678, 0x34245678, 0x12345678},
    {k16Int16, 0x8001, 0x8001, 0x8001},
    {k16Int16, 0x1234, 0x1234, 0x1234},
    {k32Int16, 0x12345678, 0x34245678, 0x3424},
    {k16Bf16, 0x0001, 0x0100, 0x0000},
    {k16Bf16, 0x8000, 0x8000, 0x0000},
    {k16Bf16, 0x7F81, 0x01FF, 0x7F80},
    {k16Bf16, 0xFFC0, 0xC0FF, 0xFF80},
    {k16Bf16, 0x3F81, 0x017F, 0x3F81},
    {k16Bf16Fp32, 0xBF81, 0x817F, 0xBF810000},
    {k16Bf16Fp32, 0x8000, 0x8000, 0x00000000},
    {k16Bf16Fp32, 0x7FC0, 0x40FF, 0x7F800000},
    {k16Bfp8Bf16, 0x3F81, 0x017F, 0x3F82},
    {k16Bfp8Bf16, 0x3F7F, 0x7F7E, 0x3F80},
    {k16Bfp8Bf16, 0x007F, 0x7F00, 0x0000},
    {k16Bfp8Bf16, 0x7F80, 0x00FF, 0x7F80},
    {k16Bfp8Fp32, 0x3F81, 0x017F, 0x3F820000},
    {k16Fp16, 0x03FF, 0x7FE0, 0x0000},
    {k16Fp16, 0x8000, 0x8000, 0x0000},
    {k16Fp16, 0x7FFF, 0x7FFF, 0x7FFF},
    {k16Fp16, 0x3C01, 0x002F, 0x3C01},
    {k16Fp16Fp32, 0x3C01, 0x002F, 0x3F802000},
    {k16Fp16Fp32, 0x7C00, 0x001F, 0x47800000},
    {k16Fp16Fp32, 0x8400, 0x8001, 0xB8800000},
    {k16Fp16Fp32, 0x03FF, 0x7FE0, 0x00000000},
    {k16Fp16Bf16, 0x3C0F, 0x01EF, 0x3F81},
    {k16Fp16Bf16, 0x7FFF, 0x7FFF, 0x47FF},
    {k16Fp16Bf16, 0x0400, 0x0001, 0x3880},
    {k16Fp16Bf16, 0x8001, 0x8020, 0x0000},
    {k16Fp16Fp8, 0x3C00, 0x000F, 0x38},
    {k16Fp16Fp8, 0x2000, 0x0008, 0x00},
    {k16Fp16Fp8, 0x23FF, 0x7FE8, 0x00},
    {k16Fp16Fp8, 0x2400, 0x0009, 0x08},
    {k16Fp16Fp8, 0x5FFF, 0x7FF7, 0x7F},
    {k16Fp16Fp8, 0x6000, 0x0018, 0x7F},
    {k16Fp16Fp8, 0xBC7F, 0x8FEF, 0xB8},
    {k16Fp8R, 0x3F80, 0x007F, 0x38},
    {k16Fp8R, 0x4380, 0x0087, 0x78},
    {k16Fp8R, 0x3C80, 0x0079, 0x08},
    {with_relu(k32Fp32, 3), 0x3F800000, 0x007F0000, 0x3F800000},
    {with_relu(k32Fp32, 3), 0x3F801FFF, 0x007F1FFF, 0x3F801FFF},
    {with_relu(k32Fp32, 3), 0x3F803FFF, 0x007F3FFF, 0x3F800000},
    {with_relu(k32Fp32, 3), 0xBF800000, 0x807F0000, 0x00000000},
    {with_relu(k32Fp32, 2), 0x3F800000, 0x007F0000, 0x00000000},
    {with_relu(k32Fp32, 2), 0x3F800001, 0x007F0001, 0x3F800001},
    {with_relu(k32Fp32, 2), 0x80000000, 0x80000000, 0x00000000},
    {with_relu(k16Bf16, 3), 0x3F80, 0x007F, 0x3F80},
    {with_relu(k16Bf16, 3), 0x3F81, 0x017F, 0x3F80},
    {with_relu(k16Bf16, 3), 0x8000, 0x8000, 0x0000},
    {with_relu(k16Bf16, 3), 0xBF80, 0x807F, 0x0000},
    {with_relu(k32Fp16R, 3), 0x3F800000, 0x007F0000, 0x3C00},
    {with_relu(k32Fp16R, 3), 0x3F900000, 0x107F0000, 0x3C00},
    {with_relu(k32Fp16R, 3), 0x40000000, 0x00800000, 0x3C00},
};

std::string name_of_route(const Route& r) {
  std::string name = fmt::format("{}_bits_{}_to_{}", r.read_32b ? 32 : 16, name_of(r.intermediate),
                                 name_of(r.out));
  if (r.round_10b) name += "_R10";
  if (r.is_unsigned) name += "_unsigned";
  if (r.relu.mode != 0) name += fmt::format("_ReLU_{}", r.relu.mode);
  return name;
}

class MeasuredDatum : public ::testing::TestWithParam<Vector> {};

TEST_P(MeasuredDatum, is_given_by_its_route) {
  const Vector& v = GetParam();
  EXPECT_EQ(to_storage(v.route, v.value), v.stored);
  EXPECT_EQ(pack(v.route, v.value), v.out);
}

INSTANTIATE_TEST_SUITE_P(Pack, MeasuredDatum, ::testing::ValuesIn(kMeasured),
                         [](const ::testing::TestParamInfo<Vector>& info) {
                           return fmt::format("{}_{:X}", name_of_route(info.param.route),
                                              info.param.value);
                         });

struct GroupVector {
  Route route;
  std::vector<u32> inputs;
  u32 exponent;
  std::vector<u32> bytes;
};

const std::vector<u32> kMixed = {0x3F80, 0xBF80, 0x3F81, 0x3F00, 0x3B80,
                                 0xBC00, 0x3F7F, 0x3FFF, 0x8000, 0x3C7F};

// Section 14.3: groups of 16, the rest +0; bytes in L1 order, the rest 0.
const GroupVector kGroups[] = {
    {{false, F::Bf16, F::Bfp8},
     kMixed,
     0x7F,
     {0x40, 0xC0, 0x41, 0x20, 0x00, 0x81, 0x40, 0x7F, 0x00, 0x01}},
    {{false, F::Bf16, F::Bfp4}, kMixed, 0x7F, {0xC4, 0x24, 0x00, 0x74}},
    {{false, F::Bf16, F::Bfp2}, kMixed, 0x7F, {0x1D, 0x50}},
    {{false, F::Bfp8, F::Bfp8}, {0x3F80, 0x3F81, 0x3FFF, 0x007F}, 0x80, {0x20, 0x21, 0x40}},
    {{true, F::Fp32, F::Bfp8},
     {0x3F80FFFF, 0x3FFFFFFF, 0x007FFFFF, 0x80000000, 0x3F800001},
     0x7F,
     {0x40, 0x7F, 0x00, 0x00, 0x40}},
    {{true, F::Fp32, F::Bfp8}, {0x7FC00000, 0x3F800000}, 0xFF, {0x60}},
    {{true, F::Bfp8, F::Bfp8},
     {0x3F80FFFF, 0x3F810000, 0x3F81FFFF, 0x007FFFFF},
     0x7F,
     {0x40, 0x41, 0x41}},
    {{false, F::Bfp8a, F::Bfp8},
     {0x3C00, 0x3C07, 0x3C08, 0x7FFF, 0x0400},
     0x8F,
     {0x00, 0x00, 0x00, 0x7F}},
    {{false, F::Bfp8a, F::Bfp8},
     {0x3C00, 0x3C07, 0x3C08, 0x03FF, 0x03F8, 0xBE00},
     0x7F,
     {0x40, 0x40, 0x41, 0x00, 0x00, 0xE0}},
    {{false, F::Bf16, F::Bfp8}, {0x0080, 0x0001}, 0x01, {0x40}},
};

class MeasuredGroup : public ::testing::TestWithParam<GroupVector> {};

TEST_P(MeasuredGroup, is_given_by_its_route) {
  const GroupVector& v = GetParam();
  std::array<u32, kRow> stored{};
  for (u32 i = 0; i < v.inputs.size(); ++i) stored[i] = to_storage(v.route, v.inputs[i]);
  const std::array<u32, kRow> late = pack_row(v.route, stored);
  std::array<u16, kRow> group;
  std::copy(late.begin(), late.end(), group.begin());
  const Block block = assemble_group(v.route.out, group.data());
  const u32 bits = bits_of(v.route.out);
  std::array<u8, kRow> bytes{};
  for (u32 i = 0; i < kRow; ++i)
    bytes[i * bits / 8] |= static_cast<u8>(block.datum[i] << (i * bits % 8));
  EXPECT_EQ(block.exponent, v.exponent);
  for (u32 i = 0; i < kRow; ++i)
    EXPECT_EQ(bytes[i], i < v.bytes.size() ? v.bytes[i] : 0) << "byte " << i;
}

INSTANTIATE_TEST_SUITE_P(Pack, MeasuredGroup, ::testing::ValuesIn(kGroups),
                         [](const ::testing::TestParamInfo<GroupVector>& info) {
                           return fmt::format("{}_{:X}_first_of_{}",
                                              name_of_route(info.param.route), info.param.inputs[0],
                                              info.param.inputs.size());
                         });

/// The magnitude `value` rounded to `fraction` bits of mantissa, ties away from zero.
double round_away(double value, int fraction) {
  if (value == 0) return 0;
  const int exponent = std::ilogb(value);
  return std::ldexp(std::floor(std::ldexp(value, fraction - exponent) + 0.5), exponent - fraction);
}

double value_of_fp32(u32 v) {
  return std::bit_cast<float>(v);
}

TEST(FormatPack, rounds_fp32_to_bf16_half_away_from_zero) {
  std::mt19937 random(11);
  for (int i = 0; i < 300000; ++i) {
    u32 v = random();
    if (i % 4 == 0) v = (v & 0xFFFF0000) | 0x8000;  // ties
    const u32 result = pack(k32Bf16, v);
    const double magnitude = std::fabs(value_of_fp32(v));
    if (std::isnan(magnitude)) {
      EXPECT_EQ(result, 0x7F80u | (v >> 31) << 15);
      continue;
    }
    const double rounded = round_away(magnitude, 7);
    u32 expected;
    if (rounded < std::ldexp(1.0, -126)) {
      expected = 0;
    } else if (rounded >= std::ldexp(1.0, 128)) {
      expected = 0x7F80 | (v >> 31) << 15;
    } else {
      expected = std::bit_cast<u32>(static_cast<float>(rounded)) >> 16 | (v >> 31) << 15;
    }
    // Denormals round on the grid of the smallest normals, not on their own.
    if (magnitude < std::ldexp(1.0, -126))
      expected = v << 1 >= 0x7F8000u << 1 ? 0x80 | (v >> 31) << 15 : 0;
    EXPECT_EQ(result, expected) << std::hex << v;
  }
}

TEST(FormatPack, rounds_fp32_to_10_bits_of_mantissa_half_away_from_zero) {
  std::mt19937 random(12);
  for (int i = 0; i < 200000; ++i) {
    u32 v = random();
    if (i % 4 == 0) v = (v & 0xFFFFE000) | 0x1000;
    if ((v & 0x7F800000) == 0x7F800000 || (v & 0x7F800000) == 0) continue;
    const double rounded = round_away(std::fabs(value_of_fp32(v)), 10);
    u32 expected = rounded >= std::ldexp(1.0, 128)
                       ? 0x7F800000u
                       : std::bit_cast<u32>(static_cast<float>(rounded));
    expected |= v & 0x80000000;
    EXPECT_EQ(round_fp32_to_tf32(v), expected >> 13) << std::hex << v;
  }
}

TEST(FormatPack, packs_all_bf16_values_of_a_16_bit_dst) {
  for (u32 v = 0; v < 0x10000; ++v) {
    const u32 exponent = (v >> 7) & 0xFF;
    const u32 sign = v & 0x8000;
    const u32 expected = exponent == 0 ? 0 : exponent == 255 ? sign | 0x7F80 : v;
    EXPECT_EQ(pack(k16Bf16, v), expected);
    EXPECT_EQ(pack(k16Bf16Fp32, v), expected << 16);
    Route raw = k16Bf16;
    raw.raw = true;
    EXPECT_EQ(pack(raw, v), v);
    // E8M6: 6 bits of mantissa, ties away.
    if (exponent == 0 || exponent == 255) {
      EXPECT_EQ(pack(k16Bfp8Bf16, v), expected);
    } else {
      const double rounded = round_away(std::fabs(value_of_fp32(v << 16)), 6);
      const u32 bits = rounded >= std::ldexp(1.0, 128)
                           ? 0x7F80
                           : std::bit_cast<u32>(static_cast<float>(rounded)) >> 16;
      EXPECT_EQ(pack(k16Bfp8Bf16, v), sign | bits) << std::hex << v;
    }
  }
}

TEST(FormatPack, packs_all_fp16_values_of_a_16_bit_dst) {
  for (u32 v = 0; v < 0x10000; ++v) {
    const u32 exponent = (v >> 10) & 31;
    const u32 sign = v & 0x8000;
    EXPECT_EQ(pack(k16Fp16, v), exponent == 0 ? 0 : v);
    if (exponent == 0) {
      EXPECT_EQ(pack(k16Fp16Fp32, v), 0u);
      EXPECT_EQ(pack(k16Fp16Bf16, v), 0u);
      EXPECT_EQ(pack(k16Fp16Fp8, v), 0u);
      continue;
    }
    const double value = std::ldexp(1.0 + (v & 0x3FF) / 1024.0, static_cast<int>(exponent) - 15);
    const u32 fp32 = std::bit_cast<u32>(static_cast<float>(value)) | sign << 16;
    EXPECT_EQ(pack(k16Fp16Fp32, v), fp32);
    EXPECT_EQ(pack(k16Fp16Bf16, v), fp32 >> 16);
    // E4M3 truncates between 2^-6 and 2^9 and saturates above.
    u32 fp8;
    if (value < std::ldexp(1.0, -6)) {
      fp8 = 0;
    } else if (value >= 512) {
      fp8 = 0x7F;
    } else {
      const int e = std::ilogb(value);
      fp8 = static_cast<u32>(e + 7) << 3 | (static_cast<u32>(std::ldexp(value, 3 - e)) & 7);
    }
    EXPECT_EQ(pack(k16Fp16Fp8, v), sign >> 8 | fp8);
  }
}

TEST(FormatPack, rounds_fp16_to_e5m6_half_away_and_never_overflows) {
  const Route route{false, F::Bfp8a, F::Fp16};
  for (u32 v = 0; v < 0x10000; ++v) {
    const u32 exponent = (v >> 10) & 31;
    double magnitude = std::ldexp(1.0 + (v & 0x3FF) / 1024.0, static_cast<int>(exponent) - 15);
    magnitude = std::min(round_away(magnitude, 6), std::ldexp(1.0 + 63 / 64.0, 16));
    u32 expected;
    if (exponent == 0) {
      expected = (v & 0x7FFF) >= 0x3F8 ? 0x400 | (v & 0x8000) : 0;
    } else {
      const int e = std::ilogb(magnitude);
      expected = static_cast<u32>(e + 15) << 10 |
                 (static_cast<u32>(std::ldexp(magnitude, 10 - e)) & 0x3FF) | (v & 0x8000);
    }
    EXPECT_EQ(pack(route, v), expected) << std::hex << v;
  }
}

TEST(FormatPack, block_floats_are_the_nearest_multiple_of_the_shared_step) {
  std::mt19937 random(13);
  for (int round = 0; round < 20000; ++round) {
    std::array<u16, kRow> group;
    const u32 base = 20 + random() % 200;
    for (u16& g : group)
      g = static_cast<u16>((random() & 0x8000) | (base + random() % 10) << 7 | (random() & 0x7F));
    const Block block = assemble_group(F::Bfp8, group.data());
    const Block half = assemble_group(F::Bfp4, group.data());
    u32 greatest = 0;
    for (u16 g : group) greatest = std::max(greatest, u32{g} >> 7 & 0xFF);
    EXPECT_EQ(block.exponent, greatest);
    for (u32 i = 0; i < kRow; ++i) {
      const double value =
          std::ldexp(128 + (group[i] & 0x7F), (group[i] >> 7 & 0xFF) - static_cast<int>(greatest));
      // In units of half a step of 2^-6 the datum is value / 2, rounded half away.
      double q = std::min(std::floor(value / 2 + 0.5), 127.0);
      // Eight or more places below the shared exponent the bits are gone before rounding.
      if (greatest - (group[i] >> 7 & 0xFFu) >= 8) q = 0;
      const u32 magnitude = static_cast<u32>(q);
      const u32 sign = group[i] >> 15;
      EXPECT_EQ(block.datum[i], magnitude == 0 ? 0 : sign << 7 | magnitude);
      const u32 top = magnitude >> 4;
      EXPECT_EQ(half.datum[i], top == 0 ? 0 : sign << 3 | top);
    }
  }
}

TEST(FormatPack, groups_with_5_bits_of_exponent_share_a_5_bit_exponent) {
  const Route route{false, F::Bfp8a, F::Bfp8a};
  std::array<u32, kRow> stored{};
  stored[0] = dst_from_fp16(0x3C00);  // 1.0
  stored[1] = dst_from_fp16(0xB800);  // -0.5
  stored[2] = dst_from_fp16(0x3E00);  // 1.5
  const std::array<u32, kRow> late = pack_row(route, stored);
  std::array<u16, kRow> group;
  std::copy(late.begin(), late.end(), group.begin());
  const Block block = assemble_group(F::Bfp8a, group.data());
  EXPECT_EQ(block.exponent, 15);
  EXPECT_EQ(block.datum[0], 0x40);
  EXPECT_EQ(block.datum[1], 0xA0);
  EXPECT_EQ(block.datum[2], 0x60);
}

TEST(FormatPack, integer_descale_shifts_the_magnitude_and_rounds_half_away) {
  const EarlyConversion conversion = early(k32Int8);
  std::mt19937 random(14);
  for (int i = 0; i < 20000; ++i) {
    const u32 shift = random() % 32;
    const u32 v = random();
    std::array<u32, kRow> stored{};
    std::array<u32, kRow> code{};
    stored[0] = dst_from_fp32(v);
    conversion.row(stored.data(), shift, code.data());
    const double q = std::floor(std::ldexp(v & 0x7FFFFFFF, -static_cast<int>(shift)) + 0.5);
    EXPECT_EQ(code[0], (v >> 31) << 7 | static_cast<u32>(std::min(q, 127.0)));
  }
}

TEST(FormatPack, raw_integer_reads_take_the_low_bits) {
  Route raw = k32Int8;
  raw.raw = true;
  EXPECT_EQ(pack(raw, 0x80000185), 0x85u);
  raw.is_unsigned = true;
  EXPECT_EQ(pack(raw, 0x80000185), 0x85u);
  EXPECT_EQ(pack(raw, 0x000001FF), 0xFFu);
  const Route sign{false, F::Int8, F::Int8, false, true};
  EXPECT_EQ(pack(sign, 0xBF80), 0x80u);
  EXPECT_EQ(pack(sign, 0x3F80), 0x00u);
}

TEST(FormatPack, tf32_output_has_13_zero_bits) {
  const Route route{true, F::Tf32, F::Tf32};
  EXPECT_EQ(pack(route, 0x3F801000), 0x3F802000u);
  EXPECT_EQ(pack(route, 0x3F800FFF), 0x3F800000u);
  EXPECT_EQ(pack({false, F::Tf32, F::Tf32}, 0x3F81), 0x3F810000u);
}

TEST(FormatPack, routes_that_no_document_gives_have_no_conversion) {
  const Route none[] = {
      {false, F::Fp32, F::Fp32},  {false, F::Int32, F::Int32}, {true, F::Fp16, F::Fp16},
      {true, F::Bfp8a, F::Bfp8a}, {true, F::Fp8, F::Fp8},      {false, F::Fp8, F::Fp8},
      {false, F::Int8, F::Int8},  {true, F::Bfp4, F::Bfp4},    {false, F::Bfp2, F::Bfp2},
  };
  for (const Route& route : none)
    EXPECT_EQ(early(route).code, PackCode::Undefined) << name_of(route.intermediate);
  EXPECT_EQ(late_conversion(PackCode::Fp32, F::Tf32, false), nullptr);
  EXPECT_EQ(late_conversion(PackCode::Int32, F::Fp32, false), nullptr);
  EXPECT_EQ(late_conversion(PackCode::Int16, F::Bf16, false), nullptr);
  EXPECT_EQ(late_conversion(PackCode::Bf16, F::Int8, false), nullptr);
  EXPECT_EQ(late_conversion(PackCode::Fp32, F::Fp8, true), nullptr);
}

TEST(FormatPack, relu_of_integers_is_limited_to_clearing_negatives) {
  EXPECT_TRUE(relu_is_defined(PackCode::Int32, {1, 0}));
  EXPECT_FALSE(relu_is_defined(PackCode::Int32, {2, 0}));
  EXPECT_FALSE(relu_is_defined(PackCode::Bf16, {3, 0xBF80}));
  Route route = k32Int32;
  route.relu = {1, 0};
  EXPECT_EQ(pack(route, 0x80000005), 0u);
  EXPECT_EQ(pack(route, 0x00000005), 5u);
}

}  // namespace
}  // namespace bhemu::numeric
