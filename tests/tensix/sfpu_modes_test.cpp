// Every instruction of the vector unit that works lane by lane, in every mode: random words on
// random registers and flags against the model of one lane.
#include <gtest/gtest.h>

#include "sfpu_lane_model.hpp"
#include "support/rounds.hpp"
#include "tensix/unit_bench.hpp"

namespace bhemu::tensix {
namespace {

using test::LaneModel;
using test::LaneState;

struct Instruction {
  const char* name;
  u32 modes;  // that exist, by bit
};

const Instruction kInstructions[] = {
    {"SFPLOADI", 0x0517},  {"SFPLUT", 0xFFFF},    {"SFPMULI", 0xFFFF},    {"SFPADDI", 0xFFFF},
    {"SFPDIVP2", 0xFFFF},  {"SFPEXEXP", 0xFFFF},  {"SFPEXMAN", 0xFFFF},   {"SFPIADD", 0xFFFF},
    {"SFPSHFT", 0xFFFF},   {"SFPSETCC", 0xFFFF},  {"SFPMOV", 0xFFBB},     {"SFPABS", 0xFFFF},
    {"SFPAND", 0xFFFF},    {"SFPOR", 0xFFFF},     {"SFPNOT", 0xFFFF},     {"SFPLZ", 0xFFFF},
    {"SFPSETEXP", 0xFFFF}, {"SFPSETMAN", 0xFFFF}, {"SFPMAD", 0xFFFF},     {"SFPADD", 0xFFFF},
    {"SFPMUL", 0xFFFF},    {"SFPSETSGN", 0xFFFF}, {"SFPXOR", 0xFFFF},     {"SFP_STOCH_RND", 0xFFFF},
    {"SFPCAST", 0xFFFF},   {"SFPSHFT2", 0x0060},  {"SFPLUTFP32", 0xFFFF}, {"SFPLE", 0xFFFF},
    {"SFPGT", 0xFFFF},     {"SFPMUL24", 0xFFFF},  {"SFPARECIP", 0xFFFF},
};

class SfpuModes : public testing::TestWithParam<Instruction> {
 protected:
  u32 any() { return static_cast<u32>(random_()); }
  /// A pattern that some instruction finds special, a small integer, or anything.
  u32 value() {
    const u32 v = any();
    const auto& special = bhemu::test::special_values();
    switch (any() % 8) {
      case 0:
        return special[v % special.size()];
      case 1:
        return v % 64;
      case 2:
        return 0 - v % 64;
      case 3:
        return (v & 0x807FFFFF) | (120 + any() % 16) << 23;
      case 4:
        return v & 0x80FFFFFF;
      case 5:
        return (v & 0xFFFF0000) | (v & 0x80000000) >> 16;
      default:
        return v;
    }
  }

  /// A word of the instruction in an existing mode. Registers from 12 on go through the back door.
  u32 word(u8 opcode, u32 modes) {
    const bool high = opcode == op::SFPLOADI::kOpcode || opcode == op::SFPLUT::kOpcode;
    u32 mode;
    do mode = any() % 16;
    while (((modes >> mode) & 1) == 0);
    const u32 vd = any() % 12;
    u32 result = u32{opcode} << 24 | (any() & 0xFFFFFF);
    result = with_bits(result, high ? 20 : 4, 4, vd);
    return with_bits(result, high ? 16 : 0, 4, mode);
  }

  void fill(UnitBench& bench) {
    SfpuState& sfpu = bench.sfpu();
    for (u32 r = 0; r < 8; ++r)
      for (u32 i = 0; i < kLanes; ++i) sfpu.lreg[r][i] = value();
    for (u32 r = 11; r < 15; ++r) sfpu.lreg[r].lane.fill(value());
    for (u32& state : sfpu.prng) state = any();
    sfpu.condition = {any() | any(), any() | any()};
  }

  static LaneState lane_of(const SfpuState& sfpu, u32 lane) {
    LaneState state;
    for (u32 r = 0; r < 16; ++r) state.reg[r] = sfpu.lreg[r][lane];
    state.use_flag = bit(sfpu.condition.use_lane_flags, lane);
    state.flag = bit(sfpu.condition.lane_flags, lane);
    state.random = sfpu.prng[lane];
    return state;
  }

  std::mt19937_64 random_{bhemu::test::seed(2211)};
};

TEST_P(SfpuModes, random_words_do_what_the_model_of_a_lane_does) {
  const Instruction& instruction = GetParam();
  const u8 opcode = find_instruction(instruction.name)->opcode;
  UnitBench bench;
  const u64 rounds = 1 + bhemu::test::rounds(64'000) / kLanes;
  for (u64 round = 0; round < rounds; ++round) {
    fill(bench);
    const SfpuState before = bench.sfpu();
    const u32 w = word(opcode, instruction.modes);
    ASSERT_EQ(bench.run(w), Completion::Done);
    for (u32 lane = 0; lane < kLanes; ++lane) {
      const LaneState old = lane_of(before, lane);
      LaneModel model(old);
      const bool enabled = !old.use_flag || old.flag;
      if (enabled) {
        ASSERT_TRUE(model.execute(w));
      }
      const LaneState now = lane_of(bench.sfpu(), lane);
      ASSERT_EQ(now.reg, model.state().reg) << std::hex << w << " lane " << lane;
      ASSERT_EQ(now.flag, model.state().flag) << std::hex << w << " lane " << lane;
      ASSERT_EQ(now.use_flag, old.use_flag) << std::hex << w << " lane " << lane;
      ASSERT_EQ(now.random, model.state().random) << std::hex << w << " lane " << lane;
    }
  }
  EXPECT_TRUE(bench.faults().faults().empty());
}

INSTANTIATE_TEST_SUITE_P(Every, SfpuModes, testing::ValuesIn(kInstructions),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace bhemu::tensix
