// SFPCONFIG and SFPSWAP: random words on random state against models of a column and of a lane.
#include <gtest/gtest.h>

#include <random>

#include "support/rounds.hpp"
#include "tensix/unit_bench.hpp"

namespace bhemu::tensix {
namespace {

/// What SFPCONFIG can change in one of the eight columns (SFPCONFIG.md).
struct Column {
  std::array<u32, 4> instruction{};
  std::array<u32, 4> sequence{};
  u32 misc = 0;
  std::array<u32, 4> constant{};  // LReg 11 to 14
  u32 lane_config = 0;

  friend bool operator==(const Column&, const Column&) = default;
};

Column column_of(const SfpuState& sfpu, u32 column, u32 lane) {
  Column result;
  for (u32 i = 0; i < 4; ++i) {
    result.instruction[i] = sfpu.macro_instruction[i][column];
    result.sequence[i] = sfpu.macro_sequence[i][column];
    result.constant[i] = sfpu.lreg[11 + i][lane];
  }
  result.misc = sfpu.macro_misc[column];
  result.lane_config = sfpu.lane_config[column];
  return result;
}

u32 combined(u32 how, u32 old, u32 value) {
  const u32 results[4] = {value, old | value, old & value, old ^ value};
  return results[how];
}

/// The column after a word that is allowed to change it; `from_register` is its lane of LReg 0.
Column configured(Column column, u32 word, u32 from_register) {
  const u32 target = word >> 4 & 15;
  const u32 how = word >> 1 & 3;
  const bool by_immediate = word % 2 != 0;
  const u32 immediate = word >> 8 & 0xFFFF;
  const u32 value = by_immediate ? immediate : from_register;
  const u32 defaults[4] = {0xBF800000, 0x3B000000, 0xBF2CC4C7, 0xBEB08FF9};
  if (target <= 3) column.instruction[target] = from_register;
  if (target >= 4 && target <= 7) column.sequence[target - 4] = value;
  if (target == 8) column.misc = combined(how, column.misc, value) % 4096;
  if (target >= 11 && target <= 14)
    column.constant[target - 11] = by_immediate ? defaults[target - 11] : from_register;
  if (target == 15) {
    const u32 kept = by_immediate ? column.lane_config & 0x30000 : 0;
    column.lane_config = combined(how, column.lane_config, value) % 0x40000 | kept;
  }
  return column;
}

TEST(SfpuConfig, an_immediate_restores_what_reset_leaves_in_the_constants) {
  UnitBench bench;
  for (u32 i = 11; i <= 14; ++i) {
    const u32 after_reset = bench.sfpu().lreg[i][5];
    bench.run<op::SFPCONFIG>({{"config_dest", i}});  // LReg 0, which is 0
    EXPECT_EQ(bench.sfpu().lreg[i][5], 0u);
    bench.run<op::SFPCONFIG>({{"config_dest", i}, {"instr_mod1", 1}, {"imm16_math", 0x1234}});
    EXPECT_EQ(bench.sfpu().lreg[i][5], after_reset);
  }
}

TEST(SfpuConfig, random_words_change_the_columns_as_the_model_does) {
  std::mt19937_64 random(bhemu::test::seed(31));
  UnitBench bench;
  SfpuState& sfpu = bench.sfpu();
  const u64 rounds = bhemu::test::rounds(20'000);
  for (u64 round = 0; round < rounds; ++round) {
    for (u32& value : sfpu.lreg[0].lane) value = static_cast<u32>(random());
    sfpu.condition = {static_cast<u32>(random() | random()), static_cast<u32>(random())};
    const SfpuState before = sfpu;
    const u32 word = 0x91000000u | (static_cast<u32>(random()) & 0xFFFFFF);
    ASSERT_EQ(bench.run(word), Completion::Done);
    for (u32 lane = 0; lane < kLanes; ++lane) {
      const u32 c = lane % 8;
      const bool enabled =
          !bit(before.condition.use_lane_flags, c) || bit(before.condition.lane_flags, c);
      const bool named = !bit(word, 3) || bit(word >> 8, 2 * c);
      const Column old = column_of(before, c, lane);
      const Column expected = enabled && named ? configured(old, word, before.lreg[0][c]) : old;
      ASSERT_EQ(column_of(sfpu, c, lane), expected) << std::hex << word << " lane " << lane;
    }
  }
}

/// SFPMOV with bit 3 reads back what SFPCONFIG wrote.
TEST(SfpuConfig, mov_reads_every_configuration_register) {
  UnitBench bench;
  SfpuState& sfpu = bench.sfpu();
  for (u32 i = 0; i < 4; ++i) {
    for (u32 column = 0; column < kLaneColumns; ++column) {
      sfpu.macro_instruction[i][column] = 0x1000 + 16 * i + column;
      sfpu.macro_sequence[i][column] = 0x2000 + 16 * i + column;
    }
  }
  for (u32 column = 0; column < kLaneColumns; ++column) {
    sfpu.macro_misc[column] = 0x300 + column;
    sfpu.lane_config[column] = column << 9;
  }
  const auto read = [&](u32 source) {
    sfpu.lreg[5].lane.fill(~0u);
    bench.run<op::SFPMOV>({{"lreg_c", source}, {"lreg_dest", 5}, {"instr_mod1", 8}});
    return sfpu.lreg[5];
  };
  for (u32 source = 0; source < 16; ++source) {
    if (source == 9) continue;  // random numbers
    const auto value = read(source);
    for (u32 lane = 0; lane < kLanes; ++lane) {
      const u32 c = lane % 8;
      const u32 expected = source < 4     ? 0x1000 + 16 * source + c
                           : source < 8   ? 0x2000 + 16 * (source - 4) + c
                           : source == 8  ? 0x300 + c
                           : source == 15 ? c << 9
                                          : 0;
      ASSERT_EQ(value[lane], expected) << "source " << source << " lane " << lane;
    }
  }
}

i64 order_key(u32 v) {
  return (v >> 31) == 0 ? i64{v} : -1 - i64{v & 0x7FFFFFFF};
}

/// Lanes whose VD takes the minimum, by mode.
bool minimum_to_vd(u32 mod, u32 lane) {
  const u32 row = lane / 8;
  switch (mod) {
    case 1:
      return true;
    case 2:
      return row < 2;
    case 3:
      return row % 2 == 0;
    case 4:
      return row == 0 || row == 3;
    case 5:
      return row == 0;
    case 6:
      return row == 1;
    case 7:
      return row == 2;
    case 8:
      return row == 3;
    default:
      return false;
  }
}

class SwapModel {
 public:
  SwapModel(u32 word, u32 lane_config) : mod_(word % 16), c_(word >> 8 & 15), d_(word >> 4 & 15) {
    with_index_ = bit(lane_config, 2);
    inverted_ = bit(lane_config, 8);
  }
  void apply(std::array<u32, 16>& reg, u32 lane) const {
    const bool negative_tie = reg[c_] == reg[d_] && bit(reg[c_], 31);  // as cards have it
    const bool smaller = order_key(reg[c_]) < order_key(reg[d_]) || negative_tie;
    bool swap = minimum_to_vd(mod_, lane) == smaller;
    if (inverted_) swap = !swap;
    if (mod_ != 0 && !swap) return;
    const std::array<u32, 16> old = reg;
    const u32 limit = with_index_ ? 4 : 8;
    if (c_ < limit) reg[c_] = old[d_];
    if (d_ < limit) reg[d_] = old[c_];
    if (!with_index_) return;
    reg[4 + c_ % 4] = old[4 + d_ % 4];
    reg[4 + d_ % 4] = old[4 + c_ % 4];
  }

 private:
  u32 mod_, c_, d_;
  bool with_index_, inverted_;
};

TEST(SfpuConfig, random_swaps_do_what_the_model_does_in_every_mode) {
  std::mt19937_64 random(bhemu::test::seed(32));
  UnitBench bench;
  SfpuState& sfpu = bench.sfpu();
  const u64 rounds = bhemu::test::rounds(20'000);
  for (u64 round = 0; round < rounds; ++round) {
    const u32 lane_config = (random() & 0x104);
    sfpu.lreg[0].lane.fill(lane_config);
    sfpu.condition = {};
    bench.run<op::SFPCONFIG>({{"config_dest", 15}});
    for (u32 r = 0; r < 8; ++r)
      for (u32& value : sfpu.lreg[r].lane)
        value = static_cast<u32>(random() % 4 == 0 ? random() % 3 << 31 : random());
    sfpu.condition = {static_cast<u32>(random() | random()), static_cast<u32>(random() | random())};
    const u32 c = static_cast<u32>(random() % 12);
    const u32 d = static_cast<u32>((c + 1 + random() % 11) % 12);
    const u32 word = 0x92000000u | c << 8 | d << 4 | static_cast<u32>(random() % 16);
    const SfpuState before = sfpu;
    ASSERT_EQ(bench.run(word), Completion::Done);
    for (u32 lane = 0; lane < kLanes; ++lane) {
      std::array<u32, 16> expected;
      for (u32 r = 0; r < 16; ++r) expected[r] = before.lreg[r][lane];
      const SfpuCondition& condition = before.condition;
      if (!bit(condition.use_lane_flags, lane) || bit(condition.lane_flags, lane))
        SwapModel(word, lane_config).apply(expected, lane);
      for (u32 r = 0; r < 16; ++r)
        ASSERT_EQ(sfpu.lreg[r][lane], expected[r])
            << std::hex << word << " config " << lane_config << " lane " << lane << " LReg " << r;
    }
  }
}

using Registers = std::array<LReg, kLRegs>;

/// SFPTRANSP and modes 0 to 4 of SFPSHFT2: what a register's lane becomes, from all of the old
/// ones.
u32 moved(const Registers& old, u32 word, u32 r, u32 lane) {
  const u32 row = lane / 8, column = lane % 8;
  if (word >> 24 == op::SFPTRANSP::kOpcode) return old[r / 4 * 4 + row][8 * (r % 4) + column];
  const LReg& c = old[word >> 8 & 15];
  const u32 rotated = column != 0 ? c[lane - 1] : c[lane + 7];
  const u32 mod = word % 16, vd = word >> 4 & 15;
  if (mod >= 3) return r != vd ? old[r][lane] : mod == 4 && column == 0 ? 0 : rotated;
  if (r > 3) return old[r][lane];
  if (r < 3) return old[r + 1][lane];
  return mod == 0 ? 0 : mod == 2 ? rotated : lane < 24 ? old[0][lane + 8] : 0;
}

TEST(SfpuConfig, random_moves_across_lanes_do_what_the_model_does) {
  std::mt19937_64 random(bhemu::test::seed(33));
  const auto any = [&] { return static_cast<u32>(random()); };
  UnitBench bench;
  SfpuState& sfpu = bench.sfpu();
  const u64 rounds = bhemu::test::rounds(20'000);
  for (u64 round = 0; round < rounds; ++round) {
    for (u32 r = 0; r < 8; ++r)
      for (u32& value : sfpu.lreg[r].lane) value = any();
    sfpu.condition = {any() | any(), any() | any()};
    const Registers old = sfpu.lreg;
    const u32 registers = (any() % 16) << 8 | (any() % 12) << 4;
    const u32 word = any() % 3 == 0 ? 0x8C000000u | registers | any() % 16
                                    : 0x94000000u | (any() % 4096) << 12 | registers | any() % 5;
    ASSERT_EQ(bench.run(word), Completion::Done);
    const u32 active = ~sfpu.condition.use_lane_flags | sfpu.condition.lane_flags;
    for (u32 r = 0; r < 16; ++r)
      for (u32 lane = 0; lane < kLanes; ++lane) {
        const bool written = r < 8 && bit(active, lane);
        ASSERT_EQ(sfpu.lreg[r][lane], written ? moved(old, word, r, lane) : old[r][lane])
            << std::hex << word << " LReg " << r << " lane " << lane;
      }
  }
}

TEST(SfpuConfig, mov_mode_2_writes_disabled_lanes_too) {
  UnitBench bench;
  bench.sfpu().lreg[1].lane.fill(0x12345678);
  bench.sfpu().condition = {0xFFFFFFFF, 0x0000FF00};
  bench.run<op::SFPMOV>({{"lreg_c", 1}, {"lreg_dest", 2}, {"instr_mod1", 2}});
  for (u32 lane = 0; lane < kLanes; ++lane) EXPECT_EQ(bench.sfpu().lreg[2][lane], 0x12345678u);
}

}  // namespace
}  // namespace bhemu::tensix
