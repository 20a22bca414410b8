// Every input of 16 bits, for each conversion, approximation and field operation of the vector
// unit; every pair of 8-bit factors.
#include <gtest/gtest.h>

#include "numeric/sfpu_convert.hpp"
#include "sfpu_lane_model.hpp"
#include "tensix/unit_bench.hpp"

namespace bhemu::tensix {
namespace {

using test::LaneModel;
using test::LaneState;

/// A word on C = LReg 0 (or LReg 3 for lookup tables) with its result in LReg 4.
struct Operation {
  const char* name;
  std::vector<u32> words;
};

std::vector<u32> each_mode(u8 opcode, std::initializer_list<u32> modes) {
  std::vector<u32> words;
  for (const u32 mode : modes) words.push_back(u32{opcode} << 24 | 4u << 4 | mode);
  return words;
}

std::vector<u32> roundings() {
  std::vector<u32> words;
  for (u32 rounding = 0; rounding < 4; ++rounding)
    for (u32 mode = 0; mode < 16; ++mode)
      words.push_back(0x8E000040u | rounding << 21 | 5u << 16 | mode);
  return words;
}

const Operation kOperations[] = {
    {"SFPCAST", each_mode(0x90, {0, 1, 2, 3})},
    {"SFP_STOCH_RND", roundings()},
    {"SFPARECIP", each_mode(0x99, {0, 1, 2})},
    {"SFPABS", each_mode(0x7D, {0, 1})},
    {"SFPEXEXP", each_mode(0x77, {0, 1, 2, 3})},
    {"SFPEXMAN", each_mode(0x78, {0, 1})},
    {"SFPLZ", each_mode(0x81, {0, 2, 4, 6})},
    {"SFPLUTFP32", each_mode(0x95, {0, 2, 3, 4, 6, 7})},
    {"SFPLUT", {0x73400000, 0x73440000}},
};

/// The ways in which a pattern of 16 bits stands in a register.
enum class Form { Bf16, Fp16, Unsigned, SignMagnitude, TwosComplement };
constexpr Form kForms[] = {Form::Bf16, Form::Fp16, Form::Unsigned, Form::SignMagnitude,
                           Form::TwosComplement};

u32 value_of(Form form, u32 pattern) {
  switch (form) {
    case Form::Bf16:
      return pattern << 16;
    case Form::Fp16:
      return numeric::sfpu_load_fp16(numeric::dst_from_fp16(static_cast<u16>(pattern)), false);
    case Form::Unsigned:
      return pattern;
    case Form::SignMagnitude:
      return (pattern & 0x8000) << 16 | (pattern & 0x7FFF);
    case Form::TwosComplement:
      break;
  }
  return static_cast<u32>(sign_extend(pattern, 16));
}

class SfpuEvery : public testing::TestWithParam<Operation> {};

TEST_P(SfpuEvery, input_of_16_bits_gives_what_the_model_of_a_lane_gives) {
  UnitBench bench;
  SfpuState& sfpu = bench.sfpu();
  std::mt19937 random(9);
  for (const u32 r : {1u, 2u, 5u, 6u, 7u}) sfpu.lreg[r].lane.fill(static_cast<u32>(random()));
  for (u32& state : sfpu.prng) state = static_cast<u32>(random());
  for (const Form form : kForms) {
    for (u32 first = 0; first < 0x10000; first += kLanes) {
      for (u32 lane = 0; lane < kLanes; ++lane)
        sfpu.lreg[0][lane] = sfpu.lreg[3][lane] = value_of(form, first + lane);
      for (const u32 word : GetParam().words) {
        const auto before = sfpu.lreg;
        const auto prng = sfpu.prng;
        bench.run(word);
        for (u32 lane = 0; lane < kLanes; ++lane) {
          LaneState state;
          for (u32 r = 0; r < 16; ++r) state.reg[r] = before[r][lane];
          state.random = prng[lane];
          LaneModel model(state);
          ASSERT_TRUE(model.execute(word));
          ASSERT_EQ(sfpu.lreg[4][lane], model.state().reg[4])
              << std::hex << word << " of " << before[0][lane];
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Conversion, SfpuEvery, testing::ValuesIn(kOperations),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(SfpuEveryPair, of_8_bit_factors_has_its_product) {
  UnitBench bench;
  SfpuState& sfpu = bench.sfpu();
  const u32 low = encode<op::SFPMUL24>(
      {{"lreg_src_a", 0}, {"lreg_src_b", 1}, {"lreg_src_c", 9}, {"lreg_dest", 2}});
  for (u32 a = 0; a < 256; ++a) {
    for (u32 first = 0; first < 256; first += kLanes) {
      sfpu.lreg[0].lane.fill(a);
      for (u32 lane = 0; lane < kLanes; ++lane) sfpu.lreg[1][lane] = first + lane;
      bench.run(low);
      for (u32 lane = 0; lane < kLanes; ++lane) ASSERT_EQ(sfpu.lreg[2][lane], a * (first + lane));
    }
  }
}

/// Products and sums of all pairs of FP8 numbers: exact in single precision, whatever the order.
TEST(SfpuEveryPair, of_fp8_numbers_has_its_exact_product_and_sum) {
  UnitBench bench;
  SfpuState& sfpu = bench.sfpu();
  const u32 product = encode<op::SFPMUL>(
      {{"lreg_src_a", 0}, {"lreg_src_b", 1}, {"lreg_src_c", 9}, {"lreg_dest", 2}});
  const u32 sum = encode<op::SFPADD>(
      {{"lreg_src_a", 10}, {"lreg_src_b", 0}, {"lreg_src_c", 1}, {"lreg_dest", 3}});
  const auto e5m2 = [](u32 x) {
    return static_cast<float>(std::ldexp(4 + x % 4, static_cast<int>(x / 4 % 32) - 17)) *
           (x >= 128 ? -1.0F : 1.0F);
  };
  const auto e4m3 = [](u32 x) {
    return static_cast<float>(std::ldexp(8 + x % 8, static_cast<int>(x / 8 % 16) - 10)) *
           (x >= 128 ? -1.0F : 1.0F);
  };
  for (u32 a = 0; a < 256; ++a) {
    for (u32 b = 0; b < 256; b += kLanes / 2) {
      const auto left = [&](u32 lane) { return lane < 16 ? e5m2(a) : e4m3(a); };
      const auto right = [&](u32 lane) { return lane < 16 ? e5m2(b + lane) : e4m3(b + lane - 16); };
      for (u32 lane = 0; lane < kLanes; ++lane) {
        sfpu.lreg[0][lane] = std::bit_cast<u32>(left(lane));
        sfpu.lreg[1][lane] = std::bit_cast<u32>(right(lane));
      }
      bench.run(product);
      bench.run(sum);
      for (u32 lane = 0; lane < kLanes; ++lane) {
        ASSERT_EQ(sfpu.lreg[2][lane], std::bit_cast<u32>(left(lane) * right(lane)));
        ASSERT_EQ(sfpu.lreg[3][lane], std::bit_cast<u32>(left(lane) + right(lane)));
      }
    }
  }
}

}  // namespace
}  // namespace bhemu::tensix
