// Numbers that a card gave: multiply-add chains, exponential and reciprocal, native and refined, on
// ordinary and special values (boopdotpng/blackhole-py tests/operation_pocs/sfpu_math, test_math.py
// and final-results.json).
#include <gtest/gtest.h>

#include <bit>

#include "tensix/unit_bench.hpp"

namespace bhemu::tensix {
namespace {

u32 bits_of(float value) {
  return std::bit_cast<u32>(value);
}

/// The functions as the kernels of the measurements compute them, on LReg 0.
class Card {
 public:
  u32 multiply_add_chain(float x, float y, float z, u32 times) {
    set(0, bits_of(x));
    set(1, bits_of(y));
    set(2, bits_of(z));
    for (u32 i = 0; i < times; ++i) mad(0, 1, 2, 0);
    return result();
  }
  u32 native_reciprocal(u32 x) {
    set(0, x);
    arecip(0, 0);
    return result();
  }
  /// Two steps of Newton.
  u32 refined_reciprocal(u32 x) {
    set(0, x);
    set(3, x);
    arecip(0, 0);
    set(5, bits_of(2.0F));
    for (int i = 0; i < 2; ++i) {
      mad(3, 0, 5, 4, 1);  // 2 - x * y
      mul(0, 4, 0);
    }
    return result();
  }
  /// Where the argument is negative, the reciprocal of the exponential of its magnitude.
  u32 native_exponential(u32 x) {
    set(0, x);
    set(3, x);
    arecip(2, 0);
    arecip(1, 3);
    return result();
  }
  /// exp(x / 256) by Taylor up to degree 8, squared eight times.
  u32 refined_exponential(u32 x) {
    set(3, x);
    bench_.run<op::SFPMULI>({{"imm16_math", 0x3B80}, {"lreg_dest", 3}});
    double factorial = 40320;
    set(0, bits_of(static_cast<float>(1 / factorial)));
    for (u32 degree = 8; degree > 0; --degree) {
      factorial /= degree;
      set(5, bits_of(static_cast<float>(1 / factorial)));
      mad(0, 3, 5, 0);
    }
    for (int i = 0; i < 8; ++i) mul(0, 0, 0);
    return result();
  }

 private:
  void set(u32 reg, u32 value) { bench_.sfpu().lreg[reg].lane.fill(value); }
  u32 result() {
    for (const u32 lane : bench_.sfpu().lreg[0].lane) EXPECT_EQ(lane, bench_.sfpu().lreg[0][0]);
    return bench_.sfpu().lreg[0][0];
  }
  void mad(u32 a, u32 b, u32 c, u32 d, u32 mod = 0) {
    bench_.run<op::SFPMAD>({{"lreg_src_a", a},
                            {"lreg_src_b", b},
                            {"lreg_src_c", c},
                            {"lreg_dest", d},
                            {"instr_mod1", mod}});
  }
  void mul(u32 a, u32 b, u32 d) {
    bench_.run<op::SFPMUL>(
        {{"lreg_src_a", a}, {"lreg_src_b", b}, {"lreg_src_c", 9}, {"lreg_dest", d}});
  }
  void arecip(u32 mod, u32 b) {
    bench_.run<op::SFPARECIP>({{"instr_mod1", mod}, {"imm12_math", b}});
  }

  UnitBench bench_;
};

/// Fused, the chain would end at -23444916; with a rounding of each product elsewhere again.
TEST(SfpuSilicon, sixteen_multiply_adds_end_where_a_card_ends) {
  Card card;
  EXPECT_EQ(card.multiply_add_chain(-8.1875F, 2.546875F, 1.09375F, 16), bits_of(-23444912.0F));
}

constexpr u32 kSpecial[16] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007FFFFF, 0x807FFFFF, 0x00800000, 0x80800000,
    0x7E800000, 0xFE800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000};

void expect_of_specials(u32 (Card::*function)(u32), const std::array<u32, 16>& expected) {
  Card card;
  for (u32 i = 0; i < 16; ++i)
    EXPECT_EQ((card.*function)(kSpecial[i]), expected[i]) << std::hex << kSpecial[i];
}

TEST(SfpuSilicon, native_exponentials_of_special_values_are_those_of_a_card) {
  expect_of_specials(&Card::native_exponential,
                     {0x3F800000, 0x3F7F0000, 0x3F800000, 0x3F7F0000, 0x3F800000, 0x3F7F0000,
                      0x3F810000, 0x3F7D0000, 0x40800000, 0x3E7F0000, 0x4080FFFF, 0x3E7F0000,
                      0x40800000, 0x3E7F0000, 0x40800000, 0x3E7F0000});
}

TEST(SfpuSilicon, native_reciprocals_of_special_values_are_those_of_a_card) {
  expect_of_specials(&Card::native_reciprocal,
                     {0x7F800000, 0xFF800000, 0x7F800000, 0xFF800000, 0x7F800000, 0xFF800000,
                      0x7E7F0000, 0xFE7F0000, 0x00000000, 0x80000000, 0x00000000, 0x80000000,
                      0x00000000, 0x80000000, 0x00000000, 0x80000000});
}

TEST(SfpuSilicon, refined_exponentials_of_special_values_are_those_of_a_card) {
  expect_of_specials(&Card::refined_exponential,
                     {0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000,
                      0x3F800000, 0x3F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000,
                      0x7F800000, 0x7F800000, 0x7FC00000, 0x7FC00000});
}

TEST(SfpuSilicon, refined_reciprocals_of_special_values_are_those_of_a_card) {
  expect_of_specials(&Card::refined_reciprocal,
                     {0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000,
                      0x7E800000, 0xFE800000, 0x00000000, 0x00000000, 0x00000000, 0x00000000,
                      0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000});
}

struct Point {
  u32 (Card::*function)(u32);
  double x, y;
};

/// Where the measurements found their largest errors.
TEST(SfpuSilicon, single_results_are_those_of_a_card) {
  const Point kPoints[] = {
      {&Card::native_exponential, -1.8959842920303345, 0.1513671875},
      {&Card::native_exponential, -1.1754943508222875e-38, 0.98828125},
      {&Card::refined_exponential, 53.54330825805664, 1.7928923791434194e+23},
      {&Card::refined_exponential, 32.000003814697266, 78962009047040.0},
      {&Card::refined_exponential, 1.6139370203018188, 5.022663116455078},
      {&Card::native_reciprocal, 3.223377889778421e+37, 3.0856726709085047e-38},
      {&Card::native_reciprocal, 6.446755779556842e+37, 1.5428363354542524e-38},
      {&Card::native_reciprocal, 1.7816086254650295e-38, 5.582757582296647e+37},
      {&Card::native_reciprocal, 8.216219588366713e-20, 1.2105675798371893e+19},
      {&Card::native_reciprocal, 0.7578125, 1.3125},
      {&Card::native_reciprocal, 1.515625, 0.65625},
      {&Card::native_reciprocal, 3.03125, 0.328125},
      {&Card::refined_reciprocal, -1.4992648602523627e-24, -6.669934811071119e+23},
      {&Card::refined_reciprocal, -3.854761187776256e+37, -2.59419413947709e-38},
      {&Card::refined_reciprocal, -7.709522375552512e+37, -1.297097069738545e-38},
      {&Card::refined_reciprocal, -2.130583510865396e-38, -4.6935493640195925e+37},
      {&Card::refined_reciprocal, -4.261167021730792e-38, -2.3467746820097963e+37},
      {&Card::refined_reciprocal, -9.825582188149884e-20, -1.0177512834276e+19},
      {&Card::refined_reciprocal, -0.90625, -1.1034481525421143},
      {&Card::refined_reciprocal, -1.8125, -0.5517240762710571},
  };
  Card card;
  for (const Point& point : kPoints)
    EXPECT_EQ((card.*point.function)(bits_of(static_cast<float>(point.x))),
              bits_of(static_cast<float>(point.y)))
        << point.x;
}

}  // namespace
}  // namespace bhemu::tensix
