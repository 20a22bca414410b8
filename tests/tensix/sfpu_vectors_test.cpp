// One instruction of the vector unit on the same operands in every lane: worked vectors. Those with
// a number were read from tenstorrent/ttsim 1.10.0 (Blackhole) by experiment, those with D follow
// from the documents.
#include <gtest/gtest.h>

#include <cctype>
#include <utility>
#include <vector>

#include "tensix/unit_bench.hpp"

namespace bhemu::tensix {
namespace {

struct Vector {
  const char* name;
  u32 word;
  std::vector<std::pair<u32, u32>> inputs;  // LReg number, value; all others 0
  u32 target;
  u32 result;
};

const Vector kVectors[] = {
    // clang-format off
    {"1: SFPMAD m0 a,b,c=L0,L1,L2 (1+u)_(1+2u), u=2^-23: exact 2^-46, the stic",
     0x84001230, {{0, 0x3F800001}, {1, 0x3F800001}, {2, 0xBF800002}}, 3, 0x32800000},
    {"2: SFPMAD m0 a,b,c=L0,L1,L2 exact 2^-22+2^-46 (IEEE 34800000); sticky ad",
     0x84001230, {{0, 0x3F800001}, {1, 0x3F800001}, {2, 0xBF800000}}, 3, 0x34880000},
    {"3: SFPMAD m0 a,b,c=L0,L1,L2 (2_u)_(4_4u): exact 2^-46, result 2^-25 (sti",
     0x84001230, {{0, 0x3FFFFFFF}, {1, 0x3FFFFFFF}, {2, 0xC07FFFFE}}, 3, 0x33000000},
    {"4: SFPMAD m0 a,b,c=L0,L1,L2",
     0x84001230, {{0, 0x40490FDB}, {1, 0x3F9E0419}, {2, 0x33800000}}, 3, 0x40783602},
    {"5: SFPMAD m0 a,b,c=L0,L1,L2 tie to even, down",
     0x84001230, {{0, 0x3F800000}, {1, 0x3F800000}, {2, 0x33800000}}, 3, 0x3F800000},
    {"6: SFPMAD m0 a,b,c=L0,L1,L2 tie to even, up",
     0x84001230, {{0, 0x3F800001}, {1, 0x3F800000}, {2, 0x33800000}}, 3, 0x3F800002},
    {"7: SFPMAD m0 a,b,c=L0,L1,L2 just above the tie",
     0x84001230, {{0, 0x3F800000}, {1, 0x3F800000}, {2, 0x33800001}}, 3, 0x3F800001},
    {"8: SFPMAD m0 a,b,c=L0,L1,L2 d = 27: addend vanishes, no sticky",
     0x84001230, {{0, 0x3F800000}, {1, 0x3F800000}, {2, 0x32000000}}, 3, 0x3F800000},
    {"9: SFPMAD m0 a,b,c=L0,L1,L2 1 _ 2^-25: tie, to even",
     0x84001230, {{0, 0x3F800000}, {1, 0x3F800000}, {2, 0xB3000000}}, 3, 0x3F800000},
    {"10: SFPMAD m0 a,b,c=L0,L1,L2 just past the tie: sticky of the aligned ad",
     0x84001230, {{0, 0x3F800000}, {1, 0x3F800000}, {2, 0xB3000001}}, 3, 0x3F7FFFFF},
    {"11: SFPMAD m0 a,b,c=L0,L1,L2 denormal input is 0; zero signs differ",
     0x84001230, {{0, 0x00400000}, {1, 0x7F000000}, {2, 0x80000000}}, 3, 0x00000000},
    {"12: SFPMAD m0 a,b,c=L0,L1,L2 both zero, both negative",
     0x84001230, {{0, 0x80000001}, {1, 0x3F800000}, {2, 0x80000000}}, 3, 0x80000000},
    {"13: SFPMAD m0 a,b,c=L0,L1,L2 product field < 0: product ignored",
     0x84001230, {{0, 0x20000000}, {1, 0x20000000}, {2, 0x00800000}}, 3, 0x01000000},
    {"14: SFPMAD m0 a,b,c=L0,L1,L2 exact result _ 2^-127; rounds to 2^-126 (se",
     0x84001230, {{0, 0x3F9FCC98}, {1, 0x0099CB03}, {2, 0x80800000}}, 3, 0x00800000},
    {"15: SFPMAD m0 a,b,c=L0,L1,L2 rounds up to the smallest normal",
     0x84001230, {{0, 0x00FFFFFF}, {1, 0x3F000000}, {2, 0x00000000}}, 3, 0x00800000},
    {"16: SFPMAD m0 a,b,c=L0,L1,L2 flushed",
     0x84001230, {{0, 0x00FFFFFE}, {1, 0x3F000000}, {2, 0x00000000}}, 3, 0x00000000},
    {"17: SFPMAD m0 a,b,c=L0,L1,L2 product overflows on its own",
     0x84001230, {{0, 0x7F000000}, {1, 0x40000000}, {2, 0xFF7FFFFF}}, 3, 0x7F800000},
    {"18: SFPMAD m0 a,b,c=L0,L1,L2 product 2^128 but E = 254: no overflow yet",
     0x84001230, {{0, 0x7F7FFFFF}, {1, 0x3F800001}, {2, 0xFF7FFFFF}}, 3, 0x73F00000},
    {"19: SFPMAD m0 a,b,c=L0,L1,L2 Inf _ denormal = Inf _ 0",
     0x84001230, {{0, 0x7F800000}, {1, 0x00000001}, {2, 0x3F800000}}, 3, 0x7FC00000},
    {"20: SFPMAD m0 a,b,c=L0,L1,L2 Inf _ Inf",
     0x84001230, {{0, 0x7F800000}, {1, 0x3F800000}, {2, 0xFF800000}}, 3, 0x7FC00000},
    {"21: SFPMAD m0 a,b,c=L0,L1,L2 finite overflow does not fight Inf addend",
     0x84001230, {{0, 0x7F000000}, {1, 0x7F000000}, {2, 0xFF800000}}, 3, 0xFF800000},
    {"22: SFPMAD m0 a,b,c=L0,L1,L2 NaN canonicalised",
     0x84001230, {{0, 0xFFC00001}, {1, 0x3F800000}, {2, 0x3F800000}}, 3, 0x7FC00000},
    {"23: SFPMAD m3 a,b,c=L0,L1,L2 _a_b _ c",
     0x84001233, {{0, 0x40000000}, {1, 0x40400000}, {2, 0x3F800000}}, 3, 0xC0E00000},
    {"24: SFPADD m2 L10_L1_L2 x _ x = +0",
     0x850A1232, {{1, 0x3F800000}, {2, 0x3F800000}}, 3, 0x00000000},
    {"25: SFPMUL m0 L0_L1 _0 becomes +0",
     0x86001930, {{0, 0x80000000}, {1, 0x3F800000}}, 3, 0x00000000},
    {"26: SFPMUL m1",
     0x86001931, {{0, 0x40000000}, {1, 0x40400000}}, 3, 0xC0C00000},
    {"27: SFPMULI _0x3FC0",
     0x743FC030, {{3, 0x40400001}}, 3, 0x40900001},
    {"28: SFPADDI +0xBF80",
     0x75BF8030, {{3, 0x3F800001}}, 3, 0x34000000},
    {"29: SFPIADD m5 imm 0x800 imm = _2048",
     0x79800035, {{0, 0x00000001}}, 3, 0xFFFFF801},
    {"30: SFPIADD m6 L3=L0_L3",
     0x79000036, {{0, 0x00000005}, {3, 0x00000007}}, 3, 0xFFFFFFFE},
    {"31: SFPSHFT m1 imm _4",
     0x7AFFC031, {{3, 0x80000010}}, 3, 0x08000001},
    {"32: SFPSHFT m3 imm _4",
     0x7AFFC033, {{3, 0x80000010}}, 3, 0xF8000001},
    {"33: SFPSHFT m0 by L0 amount _2^31 _ 0",
     0x7A000030, {{0, 0x80000000}, {3, 0x12345678}}, 3, 0x12345678},
    {"34: SFPSHFT m2 by L0 amount _33 _ 1",
     0x7A000032, {{0, 0xFFFFFFDF}, {3, 0x80000000}}, 3, 0xC0000000},
    {"35: SFPSHFT m7 imm 8",
     0x7A008037, {{0, 0x12345678}}, 3, 0x34567800},
    {"36: SFPSHFT2 m5 L1 by L0",
     0x94001035, {{0, 0x00000021}, {1, 0x40000001}}, 3, 0x80000002},
    {"37: SFPCAST m0 tie _ even",
     0x90000030, {{0, 0x01000001}}, 3, 0x4B800000},
    {"38: SFPCAST m0",
     0x90000030, {{0, 0x81000003}}, 3, 0xCB800002},
    {"39: SFPCAST m0",
     0x90000030, {{0, 0xFFFFFFFF}}, 3, 0xCF000000},
    {"40: SFPCAST m0",
     0x90000030, {{0, 0x80000000}}, 3, 0x80000000},
    {"41: SFPCAST m3",
     0x90000033, {{0, 0xFFFFFFFB}}, 3, 0x80000005},
    {"42: SFPCAST m3",
     0x90000033, {{0, 0x80000000}}, 3, 0x80000000},
    {"43: STOCH_RND m1 nearest tie away",
     0x8E000031, {{0, 0x3F808000}}, 3, 0x3F810000},
    {"44: STOCH_RND m1 nearest",
     0x8E000031, {{0, 0xBF817FFF}}, 3, 0xBF810000},
    {"45: STOCH_RND m1 nearest overflows to Inf",
     0x8E000031, {{0, 0x7F7FFFFF}}, 3, 0x7F800000},
    {"46: STOCH_RND m1 nearest _NaN _ _Inf",
     0x8E000031, {{0, 0xFF800001}}, 3, 0xFF800000},
    {"47: STOCH_RND m1 nearest",
     0x8E000031, {{0, 0x80000000}}, 3, 0x00000000},
    {"48: STOCH_RND m3 nearest below _ becomes +0",
     0x8E000033, {{0, 0xBEFFFFFF}}, 3, 0x00000000},
    {"49: STOCH_RND m3 nearest _ _ 1",
     0x8E000033, {{0, 0xBF000000}}, 3, 0x80000001},
    {"50: STOCH_RND m2 nearest 255.5 clamps",
     0x8E000032, {{0, 0x437F8000}}, 3, 0x000000FF},
    {"51: STOCH_RND m2 nearest sign dropped",
     0x8E000032, {{0, 0xC0200000}}, 3, 0x00000003},
    {"52: STOCH_RND m6 nearest",
     0x8E000036, {{0, 0x477FFF40}}, 3, 0x0000FFFF},
    {"53: STOCH_RND m7 nearest NaN: signed max",
     0x8E000037, {{0, 0xFFC00000}}, 3, 0x80007FFF},
    {"54: STOCH_RND m7 nearest 32767.5 clamps",
     0x8E000037, {{0, 0x46FFFF00}}, 3, 0x00007FFF},
    {"55: STOCH_RND m3 nearest one fraction bit is lost, still _ _",
     0x8E000033, {{0, 0x3F7FFFFF}}, 3, 0x00000001},
    {"56: SFPEXEXP m0",
     0x77000030, {{0, 0x00000001}}, 3, 0xFFFFFF81},
    {"57: SFPEXEXP m1",
     0x77000031, {{0, 0xFF800000}}, 3, 0x000000FF},
    {"58: SFPEXMAN m0",
     0x78000030, {{0, 0xC0490FDB}}, 3, 0x00C90FDB},
    {"59: SFPEXMAN m1",
     0x78000031, {{0, 0xC0490FDB}}, 3, 0x00490FDB},
    {"60: SFPSETEXP m1 imm 200",
     0x820C8031, {{0, 0xC0490FDB}}, 3, 0xE4490FDB},
    {"61: SFPSETEXP m0 (L3 integer)",
     0x82000030, {{0, 0xC0490FDB}, {3, 0x000001FF}}, 3, 0xFFC90FDB},
    {"62: SFPSETMAN m0",
     0x83000030, {{0, 0xC0490FDB}, {3, 0xFFFFFFFF}}, 3, 0xC07FFFFF},
    {"63: SFPSETSGN m0",
     0x89000030, {{0, 0x40490FDB}, {3, 0x80000000}}, 3, 0xC0490FDB},
    {"64: SFPDIVP2 m1 imm _1 exponent wraps 0 _ 255",
     0x76FFF031, {{0, 0x00400000}}, 3, 0x7FC00000},
    {"65: SFPDIVP2 m1 imm 3",
     0x76003031, {{0, 0xFF800000}}, 3, 0xFF800000},
    {"66: SFPLZ m4",
     0x81000034, {{0, 0x80000000}}, 3, 0x00000020},
    {"67: SFPLZ m0",
     0x81000030, {{0, 0x00010000}}, 3, 0x0000000F},
    {"68: SFPABS m1 _Inf: disputed, see 6.4",
     0x7D000031, {{0, 0xFF800000}}, 3, 0x7F800000},
    {"69: SFPABS m1 _NaN kept",
     0x7D000031, {{0, 0xFF800001}}, 3, 0xFF800001},
    {"70: SFPABS m0",
     0x7D000030, {{0, 0x80000000}}, 3, 0x80000000},
    {"71: SFPSWAP m1 _ VD=L3 _0 < +0",
     0x92000031, {{0, 0x80000000}, {3, 0x00000000}}, 3, 0x80000000},
    {"72: SFPSWAP m9 _ VD=L3 +NaN is the largest",
     0x92000039, {{0, 0x7F800001}, {3, 0x7F800000}}, 3, 0x7F800001},
    {"73: SFPGT m8 L3>L0",
     0x97000038, {{0, 0x80000000}, {3, 0x00000000}}, 3, 0xFFFFFFFF},
    {"74: SFPLE m8 L3_L0 _NaN < _Inf",
     0x96000038, {{0, 0xFF800000}, {3, 0xFF800001}}, 3, 0xFFFFFFFF},
    {"75: SFPLUT m4 _ L4 a=12, c=8F",
     0x73440000, {{0, 0x0000128F}, {3, 0xBF400000}}, 4, 0xBFC20000},
    {"76: SFPLUT m4 _ L4 a=FF means +0",
     0x73440000, {{2, 0x0000FF30}, {3, 0x40000000}}, 4, 0x3E000000},
    {"77: SFPLUTFP32 m2 _ L7 _ takes the high halves",
     0x95000072, {{0, 0x3C004000}, {4, 0x00007C00}, {3, 0x3F000000}}, 7, 0x3F000200},
    {"78: SFPLUTFP32 m2 _ L7 below 3: low halves; c=0000 is 2^-15",
     0x95000072, {{2, 0x3C00BC00}, {6, 0x38000000}, {3, 0x403FFFFF}}, 7, 0xC03FFF7F},
    {"79: SFPARECIP m0",
     0x99000030, {{0, 0x3F800000}}, 3, 0x3F7F0000},
    {"80: SFPARECIP m0",
     0x99000030, {{0, 0xC0490FDB}}, 3, 0xBEA30000},
    {"81: SFPARECIP m0",
     0x99000030, {{0, 0x00800000}}, 3, 0x7E7F0000},
    {"82: SFPARECIP m0",
     0x99000030, {{0, 0x80000001}}, 3, 0xFF800000},
    {"83: SFPARECIP m0",
     0x99000030, {{0, 0x7E7FFFFF}}, 3, 0x00800000},
    {"84: SFPARECIP m0",
     0x99000030, {{0, 0x7E800000}}, 3, 0x00000000},
    {"85: SFPMUL24 m0",
     0x98001930, {{0, 0x00ABCDEF}, {1, 0xFF123457}}, 3, 0x00058839},
    {"86: SFPMUL24 m1",
     0x98001931, {{0, 0x00ABCDEF}, {1, 0xFF123457}}, 3, 0x00063ADF},
    {"87: SFPLOADI m1 0xFC00 no infinity",
     0x7131FC00, {}, 3, 0xC7800000},
    {"88: SFPLOADI m4 0x8001",
     0x71348001, {}, 3, 0xFFFF8001},
    {"D: SFPARECIP m2",
     0x99000032, {{0, 0x3F800000}}, 3, 0x402D0000},
    {"D: SFPARECIP m2",
     0x99000032, {{0, 0xBF317218}}, 3, 0xBFFF7218},
    {"D: SFPARECIP m2",
     0x99000032, {{0, 0x3FB17218}}, 3, 0x407F7218},
    {"D: SFPARECIP m2",
     0x99000032, {{0, 0x3C000001}}, 3, 0x3F810001},
    {"D: SFPARECIP m2",
     0x99000032, {{0, 0xC0000001}}, 3, 0xC0800001},
    {"D: SFPARECIP m1, VB=L1",
     0x99001031, {{0, 0xC0000000}, {1, 0x80000000}}, 3, 0x3EFF0000},
    {"D: STOCHRND m0 nearest",
     0x8E000030, {{0, 0x3F801000}}, 3, 0x3F802000},
    {"D: STOCHRND m0 zero",
     0x8E400030, {{0, 0x3F801FFE}}, 3, 0x3F800000},
    {"D: STOCHRND m0 zero",
     0x8E400030, {{0, 0x3F801FFF}}, 3, 0x3F802000},
    {"D: STOCHRND m1 zero",
     0x8E400031, {{0, 0x3F80FFFF}}, 3, 0x3F810000},
    {"D: STOCHRND m3 zero",
     0x8E400033, {{0, 0x3F7FFFFE}}, 3, 0x00000001},
    {"D: STOCHRND m3 zero",
     0x8E400033, {{0, 0x3F7FFFFD}}, 3, 0x00000000},
    {"D: STOCHRND m13 imm 4 nearest",
     0x8E04003D, {{0, 0x80000018}}, 3, 0x80000002},
    {"D: STOCHRND m12 imm 4 nearest",
     0x8E04003C, {{0, 0x80001FFF}}, 3, 0x000000FF},
    {"D: SFPLUTFP32 m0 _ L7",
     0x95000070, {{1, 0x40000000}, {5, 0x3F800000}, {3, 0xBFC00000}}, 7, 0x40800000},
    {"D: SFPLUTFP32 m4 _ L7",
     0x95000074, {{1, 0x40000000}, {5, 0x3F800000}, {3, 0xBFC00000}}, 7, 0xC0800000},
    {"D: SFPCAST m2",
     0x90000032, {{0, 0xFFFFFFFB}}, 3, 0x00000005},
    {"D: SFPSETMAN m1 imm 800",
     0x83800031, {{0, 0x3F812345}}, 3, 0x3FC00000},
    // clang-format on
};

class SfpuVector : public testing::TestWithParam<Vector> {};

TEST_P(SfpuVector, gives_the_worked_result_in_every_lane) {
  const Vector& v = GetParam();
  UnitBench bench;
  for (const auto& [index, value] : v.inputs) bench.sfpu().lreg[index].lane.fill(value);
  const auto before = bench.sfpu().lreg;
  ASSERT_EQ(bench.run(v.word), Completion::Done);
  EXPECT_TRUE(bench.faults().faults().empty());
  for (u32 lane = 0; lane < kLanes; ++lane)
    ASSERT_EQ(bench.sfpu().lreg[v.target][lane], v.result) << v.name << " lane " << lane;
  // Only SFPSWAP writes anything else.
  if (opcode_of(v.word) == op::SFPSWAP::kOpcode) return;
  for (u32 i = 0; i < kLRegs; ++i)
    if (i != v.target) {
      EXPECT_EQ(bench.sfpu().lreg[i], before[i]) << v.name << " LReg " << i;
    }
}

TEST_P(SfpuVector, leaves_disabled_lanes_alone) {
  const Vector& v = GetParam();
  UnitBench bench;
  for (const auto& [index, value] : v.inputs) bench.sfpu().lreg[index].lane.fill(value);
  const u32 before = bench.sfpu().lreg[v.target][0];
  bench.sfpu().condition = {0xFFFFFFFF, 0x55AA0FF0};
  bench.run(v.word);
  for (u32 lane = 0; lane < kLanes; ++lane) {
    const u32 expected = bit(0x55AA0FF0, lane) ? v.result : before;
    ASSERT_EQ(bench.sfpu().lreg[v.target][lane], expected) << v.name << " lane " << lane;
  }
}

INSTANTIATE_TEST_SUITE_P(Worked, SfpuVector, testing::ValuesIn(kVectors),
                         [](const testing::TestParamInfo<Vector>& info) {
                           std::string name = std::to_string(info.index);
                           for (const char* c = info.param.name; *c != '\0'; ++c) {
                             const bool word = std::isalnum(static_cast<unsigned char>(*c)) != 0;
                             if (word) name += *c;
                             if (!word && name.back() != '_') name += '_';
                           }
                           return name;
                         });

}  // namespace
}  // namespace bhemu::tensix
