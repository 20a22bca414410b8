// The vector kernels against the scalar functions that they stand for.
#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "numeric/format_rows.hpp"

namespace bhemu::numeric {
namespace {

std::vector<u32> random_words(u32 count, u32 seed) {
  // Random, with exponents around the limits and mantissas around the ties mixed in.
  constexpr u32 kExponents[] = {0, 1, 111, 112, 113, 127, 142, 143, 144, 254, 255};
  constexpr u32 kMantissas[] = {0, 1, 0x7FFF, 0x8000, 0x8001, 0x17FFF, 0x18000, 0x7FFFFF, 0x7F8000};
  std::mt19937 random(seed);
  std::vector<u32> words(count);
  for (u32& word : words) {
    word = random();
    if (random() % 2 == 0) word = (word & 0x807FFFFF) | kExponents[random() % 11] << 23;
    if (random() % 2 == 0) word = (word & 0xFF800000) | kMantissas[random() % 9];
  }
  return words;
}

std::vector<u8> bytes_of(const std::vector<u32>& datums, u32 bits) {
  std::vector<u8> bytes(datums.size() * bits / 8);
  for (std::size_t i = 0; i < datums.size(); ++i) {
    if (bits < 8)
      bytes[i * bits / 8] |= static_cast<u8>(datums[i] << (i * bits % 8));
    else
      std::memcpy(&bytes[i * bits / 8], &datums[i], bits / 8);
  }
  return bytes;
}

void expect_same_cells(Format in, Format out, const std::vector<u32>& datums,
                       const std::vector<u8>& exponents, UnpackFlags flags = {}) {
  const UnpackRows many = unpack_rows(in, out, flags);
  ASSERT_NE(many, nullptr);
  const UnpackRow one = unpack_row_to_src(in, out, flags);
  const u32 rows = static_cast<u32>(datums.size() / kRow);
  std::vector<u32> cells(datums.size(), 0x55555555);
  many(bytes_of(datums, bits_of(in)).data(), exponents.data(), rows, cells.data());
  for (u32 row = 0; row < rows; ++row) {
    std::array<u8, kRow> exponent{};
    if (!exponents.empty()) exponent.fill(exponents[row]);
    std::array<u32, kRow> expected;
    one(&datums[row * kRow], exponent.data(), expected.data());
    for (u32 i = 0; i < kRow; ++i)
      ASSERT_EQ(cells[row * kRow + i], expected[i])
          << name_of(in) << " datum " << std::hex << datums[row * kRow + i] << " exponent "
          << u32{exponent[i]};
  }
}

std::vector<u32> all_patterns(u32 count) {
  std::vector<u32> datums(count);
  for (u32 i = 0; i < count; ++i) datums[i] = i;
  return datums;
}

TEST(UnpackRows, every_bf16_pattern_is_unpacked_as_one_by_one) {
  expect_same_cells(Format::Bf16, Format::Bf16, all_patterns(0x10000), {});
}

TEST(UnpackRows, every_fp16_pattern_is_unpacked_as_one_by_one) {
  expect_same_cells(Format::Fp16, Format::Fp16, all_patterns(0x10000), {});
}

TEST(UnpackRows, fp32_is_unpacked_as_one_by_one) {
  expect_same_cells(Format::Fp32, Format::Tf32, random_words(0x10000, 1), {});
  expect_same_cells(Format::Fp32, Format::Bf16, random_words(0x10000, 2), {});
}

TEST(UnpackRows, every_bfp8_datum_with_every_exponent_is_unpacked_as_one_by_one) {
  std::vector<u32> datums(0x10000);
  std::vector<u8> exponents(0x1000);
  for (u32 i = 0; i < datums.size(); ++i) datums[i] = i & 0xFF;
  for (u32 i = 0; i < exponents.size(); ++i) exponents[i] = static_cast<u8>(i / 16);
  expect_same_cells(Format::Bfp8, Format::Bfp8, datums, exponents);
}

TEST(UnpackRows, every_bfp4_and_bfp2_datum_with_every_exponent_is_unpacked_as_one_by_one) {
  for (const Format format : {Format::Bfp4, Format::Bfp2}) {
    std::vector<u32> datums(256 * kRow);
    std::vector<u8> exponents(256);
    for (u32 i = 0; i < datums.size(); ++i) datums[i] = i % (1u << bits_of(format));
    for (u32 i = 0; i < exponents.size(); ++i) exponents[i] = static_cast<u8>(i);
    expect_same_cells(format, format, datums, exponents);
  }
}

TEST(UnpackRows, every_byte_of_fp8_and_int8_is_unpacked_as_one_by_one) {
  for (const bool other : {false, true}) {
    expect_same_cells(Format::Fp8, Format::Fp8, all_patterns(256), {}, {other, false});
    expect_same_cells(Format::Int8, Format::Int8, all_patterns(256), {}, {false, other});
  }
}

TEST(UnpackRows, pairs_of_one_exponent_width_are_unpacked_as_one_by_one) {
  expect_same_cells(Format::Bf16, Format::Tf32, all_patterns(0x10000), {});
  expect_same_cells(Format::Fp8, Format::Fp16, all_patterns(256), {});
  expect_same_cells(Format::Bfp8, Format::Bf16, all_patterns(256), std::vector<u8>(16, 100));
}

TEST(UnpackRows, every_int16_pattern_is_unpacked_as_one_by_one) {
  expect_same_cells(Format::Int16, Format::Int16, all_patterns(0x10000), {});
}

TEST(UnpackRows, fp32_is_unpacked_to_fp16_as_one_by_one) {
  expect_same_cells(Format::Fp32, Format::Fp16, random_words(0x40000, 6), {});
}

struct PackCase {
  bool read_32b;
  Format intermediate;
  Format out;
  bool round_10b = false;
  bool option = false;  // FP8 with 4 bits of exponent, unsigned INT8
};

class PackRowsTest : public ::testing::TestWithParam<PackCase> {
 protected:
  static EarlyMode mode() {
    EarlyMode mode;
    mode.intermediate = GetParam().intermediate;
    mode.out = GetParam().out;
    mode.read_32b = GetParam().read_32b;
    mode.round_10b_mant = GetParam().round_10b;
    mode.read_unsigned = GetParam().option;
    return mode;
  }
  static EarlyConversion early() { return early_conversion(mode()); }

  /// Up to four rows of stored words through both.
  void expect_same_datums(const u32* stored, u32 rows, bool relu, u32 shift = 0) {
    const Format out = GetParam().out;
    const PackRows kernel = pack_rows(mode(), GetParam().option);
    ASSERT_NE(kernel, nullptr);
    std::array<u16, PackJob::kRows * kRow> high;
    std::array<u16, PackJob::kRows * kRow> low;
    for (u32 i = 0; i < rows * kRow; ++i) {
      high[i] = static_cast<u16>(GetParam().read_32b ? stored[i] >> 16 : stored[i]);
      low[i] = static_cast<u16>(stored[i]);
    }
    std::array<u8, PackJob::kRows * kRow * 4> datum{};
    std::array<u8, PackJob::kRows> exponent{};
    PackJob job;
    job.rows = rows;
    job.straight = rows % 2 == 0;
    job.relu = relu;
    job.shift = shift;
    const ExponentField field = exponent_field(early().code);
    job.exponent_mask = field.mask << field.shift;
    job.datum = datum.data();
    job.exponent = exponent.data();
    for (u32 row = 0; row < rows; ++row) {
      job.high[row] = &high[row * kRow];
      job.low[row] = &low[row * kRow];
    }
    const u32 greatest = kernel(job);

    u32 expected_greatest = 0;
    for (u32 row = 0; row < rows; ++row)
      expect_row(&stored[row * kRow], relu, shift, &datum[row * kRow * bits_of(out) / 8],
                 exponent[row], expected_greatest);
    ASSERT_EQ(field.of(greatest), expected_greatest);
  }

 private:
  void expect_row(const u32* stored, bool relu, u32 shift, const u8* datum, u8 exponent,
                  u32& greatest) {
    const Format out = GetParam().out;
    std::array<u32, kRow> code;
    std::array<u32, kRow> expected;
    early().row(stored, shift, code.data());
    relu_row(early().code, {relu ? 1u : 0u, 0}, code.data(), kRow);
    for (const u32 value : code)
      greatest = std::max(greatest, exponent_field(early().code).of(value));
    late_conversion(early().code, out, GetParam().option)(code.data(), expected.data());
    if (is_bfp(out)) {
      std::array<u16, kRow> group;
      for (u32 i = 0; i < kRow; ++i) group[i] = static_cast<u16>(expected[i]);
      const Block block = assemble_group(out, group.data());
      ASSERT_EQ(exponent, block.exponent);
      std::copy(block.datum.begin(), block.datum.end(), expected.begin());
    }
    const u32 bits = bits_of(out);
    for (u32 i = 0; i < kRow; ++i) {
      u32 value = 0;
      std::memcpy(&value, datum + i * bits / 8, std::max(bits / 8, 1u));
      if (bits < 8) value = value >> (i * bits % 8) & ((1u << bits) - 1);
      ASSERT_EQ(value, expected[i]) << "stored " << std::hex << stored[i];
    }
  }
};

TEST_P(PackRowsTest, give_the_bits_of_the_single_stages) {
  std::vector<u32> stored = random_words(0x20000, 3);
  if (!GetParam().read_32b) {
    std::vector<u32> every = all_patterns(0x10000);
    std::vector<u32> shuffled = every;
    std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(4));
    every.insert(every.end(), shuffled.begin(), shuffled.end());
    stored = every;
  }
  for (u32 i = 0; i + 4 * kRow <= stored.size(); i += 4 * kRow)
    expect_same_datums(&stored[i], 1 + i / (4 * kRow) % 4, (i / 256) % 2 != 0);
}

TEST_P(PackRowsTest, give_the_bits_of_the_single_stages_for_as_many_rows_as_they_take) {
  std::vector<u32> stored = random_words(PackJob::kRows * kRow * 16, 9);
  if (!GetParam().read_32b)
    for (u32& word : stored) word &= 0xFFFF;
  for (u32 i = 0; i < 16; ++i)
    expect_same_datums(&stored[i * PackJob::kRows * kRow], PackJob::kRows - i, i % 3 == 0);
}

TEST_P(PackRowsTest, give_the_bits_of_the_single_stages_for_close_exponents) {
  std::mt19937 random(5);
  for (u32 round = 0; round < 2000; ++round) {
    std::array<u32, kRow> stored;
    const u32 base = random() % 246;
    for (u32& word : stored) {
      const u32 fp32 = (random() & 0x807FFFFF) | (base + random() % 10) << 23;
      word =
          GetParam().read_32b ? dst_from_fp32(fp32) : dst_from_bf16(static_cast<u16>(fp32 >> 16));
    }
    expect_same_datums(stored.data(), 1, false);
  }
}

class PackRowsInt8Test : public PackRowsTest {};

TEST_P(PackRowsInt8Test, shift_integers_as_the_single_stages_do) {
  const std::vector<u32> stored = random_words(0x4000, 8);
  for (u32 i = 0; i + kRow <= stored.size(); i += kRow)
    expect_same_datums(&stored[i], 1, false, i / kRow % 32);
}

INSTANTIATE_TEST_SUITE_P(BothSigns, PackRowsInt8Test,
                         ::testing::Values(PackCase{true, Format::Int8, Format::Int8},
                                           PackCase{true, Format::Int8, Format::Int8, false,
                                                    true}));

/// The 29 combinations that both documents and the peer simulator accept, less the two from BFP8a,
/// which go row by row.
INSTANTIATE_TEST_SUITE_P(
    AllKernels, PackRowsTest,
    ::testing::Values(
        PackCase{false, Format::Bf16, Format::Bf16}, PackCase{false, Format::Bf16, Format::Fp32},
        PackCase{false, Format::Bf16, Format::Bfp8}, PackCase{false, Format::Bf16, Format::Bfp4},
        PackCase{false, Format::Bf16, Format::Bfp2}, PackCase{false, Format::Bfp8, Format::Bf16},
        PackCase{false, Format::Bfp8, Format::Fp32}, PackCase{false, Format::Bfp8, Format::Bfp8},
        PackCase{false, Format::Bfp8, Format::Bfp4}, PackCase{false, Format::Fp16, Format::Fp16},
        PackCase{false, Format::Fp16, Format::Fp8},
        PackCase{false, Format::Fp16, Format::Fp8, false, true},
        PackCase{false, Format::Fp16, Format::Fp8, true, true},
        PackCase{false, Format::Int16, Format::Int16}, PackCase{true, Format::Fp32, Format::Fp32},
        PackCase{true, Format::Fp32, Format::Fp16}, PackCase{true, Format::Fp32, Format::Bfp8},
        PackCase{true, Format::Fp32, Format::Bfp4}, PackCase{true, Format::Fp32, Format::Bfp2},
        PackCase{true, Format::Bf16, Format::Bf16}, PackCase{true, Format::Bf16, Format::Bfp8},
        PackCase{true, Format::Bf16, Format::Fp32}, PackCase{true, Format::Bf16, Format::Bfp4},
        PackCase{true, Format::Bf16, Format::Bfp2}, PackCase{true, Format::Bfp8, Format::Bfp8},
        PackCase{true, Format::Bfp8, Format::Bfp4}, PackCase{true, Format::Int32, Format::Int32},
        PackCase{true, Format::Int16, Format::Int16}, PackCase{true, Format::Int8, Format::Int8},
        PackCase{true, Format::Int8, Format::Int8, false, true},
        PackCase{true, Format::Fp16, Format::Fp16, true},
        PackCase{true, Format::Fp16, Format::Fp8, true},
        PackCase{true, Format::Fp16, Format::Fp8, true, true}));

}  // namespace
}  // namespace bhemu::numeric
