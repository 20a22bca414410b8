// Stochastic rounding in the packer, against the deterministic conversions and against exact
// probabilities.
#include "numeric/format_stochastic.hpp"

#include <random>

#include <gtest/gtest.h>

namespace bhemu::numeric {
namespace {

using Row = std::array<u32, kRow>;

Row filled(u32 value) {
  Row row;
  row.fill(value);
  return row;
}

struct Mode {
  Format intermediate;
  bool read_32b;
  bool round_10b;
  bool is_unsigned;
};
constexpr Mode kRounding[] = {
    {Format::Bf16, true, false, false},  {Format::Bfp8, true, false, false},
    {Format::Tf32, true, false, false},  {Format::Fp16, true, true, false},
    {Format::Fp32, true, true, false},   {Format::Int8, true, false, false},
    {Format::Int8, true, false, true},   {Format::Bfp8, false, false, false},
    {Format::Bfp8a, false, false, false}};

EarlyMode early_mode(const Mode& m) {
  EarlyMode mode;
  mode.intermediate = m.intermediate;
  mode.read_32b = m.read_32b;
  mode.round_10b_mant = m.round_10b;
  mode.read_unsigned = m.is_unsigned;
  return mode;
}

TEST(FormatStochastic, one_half_in_place_of_random_bits_is_rounding_to_nearest) {
  std::mt19937 random(3);
  const Row half = filled(kRandomNearest);
  for (const Mode& m : kRounding) {
    const EarlyMode mode = early_mode(m);
    const EarlyConversion nearest = early_conversion(mode);
    const StochasticRow stochastic = stochastic_conversion(mode);
    ASSERT_NE(stochastic, nullptr);
    for (u32 trial = 0; trial < 20000; ++trial) {
      Row stored;
      for (u32& v : stored) v = m.read_32b ? random() : random() & 0xFFFF;
      if (trial % 3 == 0)
        for (u32& v : stored) v &= 0xFFFF8000u;  // ties and exact values
      const u32 shift = m.intermediate == Format::Int8 ? trial % 32 : 0;
      Row expected;
      Row got;
      nearest.row(stored.data(), shift, expected.data());
      stochastic(stored.data(), shift, half.data(), got.data());
      ASSERT_EQ(got, expected) << name_of(m.intermediate) << ' ' << trial;
    }
  }
}

TEST(FormatStochastic, conversions_that_drop_no_bits_are_not_touched) {
  for (const bool wide : {false, true})
    for (u32 code = 0; code < 16; ++code) {
      EarlyMode mode;
      mode.intermediate = format_of(code);
      mode.read_32b = wide;
      mode.read_raw = true;
      EXPECT_EQ(stochastic_conversion(mode), nullptr) << code;
    }
  EarlyMode flush;
  flush.intermediate = Format::Bf16;
  EXPECT_EQ(stochastic_conversion(flush), nullptr) << "BF16 from BF16 only flushes";
}

TEST(FormatStochastic, a_value_goes_up_as_often_as_its_dropped_bits_say_and_once_more) {
  // FP32 to BF16 drops 16 bits d: up in 128 d + 1 of 2^23 cases, so d = 0 goes up once.
  EarlyMode mode;
  mode.intermediate = Format::Bf16;
  mode.read_32b = true;
  const StochasticRow convert = stochastic_conversion(mode);
  for (const u32 dropped : {0u, 1u, 0x8000u, 0xFFFFu}) {
    const Row stored = filled(dst_from_fp32(0xC0400000u | dropped));
    u32 up = 0;
    for (u32 first = 0; first < 1u << 23; first += kRow) {
      Row random;
      for (u32 i = 0; i < kRow; ++i) random[i] = first + i;
      Row code;
      convert(stored.data(), 0, random.data(), code.data());
      for (const u32 v : code) up += v - 0xC040;
    }
    EXPECT_EQ(up, 128 * dropped + 1);
  }
}

TEST(FormatStochastic, a_single_dropped_bit_is_an_even_chance) {
  std::array<u16, kRow> group;
  group.fill(0x3F81);  // between the codes 0x40 and 0x41 of the greatest exponent
  group[0] = 0x3F80;
  u32 up = 0;
  for (u32 random = 0; random < 1u << 23; random += 1u << 10) {
    const Block block =
        assemble_group_stochastic(Format::Bfp8, group.data(), filled(random + 1).data());
    EXPECT_EQ(block.datum[0], 0x40);
    up += block.datum[1] == 0x41;
  }
  EXPECT_EQ(up, 1u << 12);
}

TEST(FormatStochastic, infinity_and_zero_stay_what_they_are) {
  EarlyMode mode;
  mode.intermediate = Format::Bf16;
  mode.read_32b = true;
  const StochasticRow convert = stochastic_conversion(mode);
  const Row random = filled(0);  // always up
  Row code;
  convert(filled(dst_from_fp32(0xFF800000u)).data(), 0, random.data(), code.data());
  EXPECT_EQ(code[0], 0xFF80u);
  convert(filled(dst_from_fp32(0x7FC00001u)).data(), 0, random.data(), code.data());
  EXPECT_EQ(code[0], 0x7F80u);
  convert(filled(0x80000000u).data(), 0, random.data(), code.data());
  EXPECT_EQ(code[0], 0u);
}

TEST(FormatStochastic, groups_round_to_nearest_with_one_half_and_up_with_zero) {
  std::mt19937 random(9);
  for (const Format to : {Format::Bfp8, Format::Bfp4, Format::Bfp2, Format::Bfp8a}) {
    for (u32 trial = 0; trial < 20000; ++trial) {
      std::array<u16, kRow> group;
      for (u16& g : group) g = static_cast<u16>((random() & 0x807F) | (100 + random() % 12) << 7);
      const Block nearest = assemble_group(to, group.data());
      const Block half = assemble_group_stochastic(to, group.data(), filled(0x400000).data());
      ASSERT_EQ(half.exponent, nearest.exponent);
      ASSERT_EQ(half.datum, nearest.datum);
      const Block up = assemble_group_stochastic(to, group.data(), filled(0).data());
      const Block down = assemble_group_stochastic(to, group.data(), filled(0x7FFFFF).data());
      const u32 mask = (1u << (bits_of(to) - 1)) - 1;
      for (u32 i = 0; i < kRow; ++i) {
        ASSERT_GE(up.datum[i] & mask, nearest.datum[i] & mask);
        ASSERT_LE(down.datum[i] & mask, nearest.datum[i] & mask);
      }
    }
  }
}

}  // namespace
}  // namespace bhemu::numeric
