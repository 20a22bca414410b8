// What cards were seen to do with the vector unit's swaps, indices and column overrides: the cases
// and results of boopdotpng/blackhole-py tests/movement/sfpu (test_minmax.py,
// test_column_exchange.py), which pass on cards.
#include <gtest/gtest.h>

#include <bit>

#include "tensix/unit_bench.hpp"

namespace bhemu::tensix {
namespace {

constexpr u32 kAll = 0xFFFFFFFF;
constexpr u32 kFp32 = 3;

void set_lane_config(UnitBench& bench, u32 value) {
  bench.run<op::SFPCONFIG>({{"config_dest", 15}, {"instr_mod1", 1}, {"imm16_math", value}});
}

/// Ascending with the numbers.
u32 order(u32 v) {
  return (v >> 31) != 0 ? ~v : v ^ 0x80000000;
}

struct Swap {
  bool indices;
  bool exchanged;
  u32 enabled;
};

TEST(SfpuSilicon, swaps_of_every_mode_with_ties_and_indices_are_those_of_a_card) {
  constexpr float kLeft[8] = {-3, -3, 3, 3, -0.0F, 0, -9, 9};
  constexpr float kRight[8] = {-3, -2, 3, 2, 0, -0.0F, 9, -9};
  constexpr u32 kMinimum[10] = {0,          kAll,       0x0000FFFF, 0x00FF00FF, 0xFF0000FF,
                                0x000000FF, 0x0000FF00, 0x00FF0000, 0xFF000000, 0};
  for (u32 mode = 0; mode < 10; ++mode) {
    for (const Swap& c :
         {Swap{false, false, kAll}, {true, false, kAll}, {true, true, 0x55555555}}) {
      UnitBench bench;
      auto& lreg = bench.sfpu().lreg;
      for (u32 i = 0; i < kLanes; ++i) {
        lreg[0][i] = std::bit_cast<u32>(kLeft[i % 8]);
        lreg[1][i] = std::bit_cast<u32>(kRight[i % 8]);
      }
      lreg[4].lane.fill(11);
      lreg[5].lane.fill(22);
      bench.sfpu().condition = {kAll, c.enabled};
      bench.sfpu().condition.use_lane_flags = c.enabled == kAll ? 0 : kAll;
      const auto before = lreg;
      // The configuration goes to all columns, whatever lanes are enabled.
      const SfpuCondition condition = bench.sfpu().condition;
      bench.sfpu().condition = {};
      set_lane_config(bench, (c.indices ? 4u : 0u) | (c.exchanged ? 256u : 0u));
      bench.sfpu().condition = condition;
      bench.run<op::SFPSWAP>({{"lreg_src_c", 0}, {"lreg_dest", 1}, {"instr_mod1", mode}});
      for (u32 i = 0; i < kLanes; ++i) {
        const u32 a = before[0][i], b = before[1][i];
        bool swap = true;
        if (mode != 0) {
          swap = order(a) < order(b) || (a == b && bit(a, 31));
          swap = swap == bit(kMinimum[mode], i);
          swap = swap != c.exchanged;
        }
        swap = swap && bit(c.enabled, i);
        ASSERT_EQ(lreg[0][i], swap ? b : a) << "mode " << mode << " lane " << i;
        ASSERT_EQ(lreg[1][i], swap ? a : b) << "mode " << mode << " lane " << i;
        ASSERT_EQ(lreg[4][i], c.indices && swap ? 22u : 11u) << "mode " << mode << " lane " << i;
        ASSERT_EQ(lreg[5][i], c.indices && swap ? 11u : 22u) << "mode " << mode << " lane " << i;
      }
    }
  }
}

/// SFPCONFIG with bit 3 takes the columns from every second bit of its immediate.
void set_column_exchange(UnitBench& bench, u32 columns, u32 config_bit) {
  bench.run<op::SFPCONFIG>({{"config_dest", 15}, {"instr_mod1", 5}, {"imm16_math", 0xFF3F}});
  if (columns == 0) return;
  bench.sfpu().lreg[0].lane.fill(1u << config_bit);
  u32 mask = 0;
  for (u32 i = 0; i < 8; ++i) mask |= static_cast<u32>(bit(columns, i)) << (2 * i);
  bench.run<op::SFPCONFIG>({{"config_dest", 15}, {"instr_mod1", 10}, {"imm16_math", mask}});
}

TEST(SfpuSilicon, column_overrides_force_odd_columns_for_their_own_direction_only) {
  std::vector<u32> masks = {0, 0xFF, 0x55, 0xAA};
  for (u32 i = 0; i < 8; ++i) masks.push_back(1u << i);
  for (const bool load : {true, false}) {
    for (u32 low = 0; low < 4; ++low) {
      for (const u32 mask : masks) {
        UnitBench bench;
        for (u32 i = 0; i < 1024; ++i)
          bench.dst().write32(i / 16, i % 16, numeric::dst_from_fp32(0x3F800000 + (i << 8)));
        set_column_exchange(bench, mask, load ? 6 : 7);
        bench.run<op::SFPLOAD>(
            {{"lreg_ind", 1}, {"instr_mod0", kFp32}, {"dest_reg_addr", 4 + (load ? low : 0)}});
        bench.run<op::SFPSTORE>(
            {{"lreg_ind", 1}, {"instr_mod0", kFp32}, {"dest_reg_addr", 32 + (load ? 0 : low)}});
        std::array<u32, 1024> expected;
        for (u32 i = 0; i < 1024; ++i) expected[i] = 0x3F800000 + (i << 8);
        const auto original = expected;
        for (u32 row = 0; row < 4; ++row) {
          for (u32 pair = 0; pair < 8; ++pair) {
            const u32 column = 2 * pair + ((low & 2) != 0 || bit(mask, pair) ? 1 : 0);
            const u32 from = load ? column : 2 * pair;
            const u32 to = load ? 2 * pair : column;
            expected[(32 + row) * 16 + to] = original[(4 + row) * 16 + from];
          }
        }
        for (u32 i = 0; i < 1024; ++i)
          ASSERT_EQ(numeric::fp32_from_dst(bench.dst().read32(i / 16, i % 16)), expected[i])
              << (load ? "load " : "store ") << low << " mask " << mask << " datum " << i;
      }
    }
  }
}

TEST(SfpuSilicon, captured_indices_are_row_times_sixteen_plus_column) {
  for (const u32 row : {0u, 2u, 30u, 128u, 510u}) {
    UnitBench bench;
    set_lane_config(bench, 12);
    bench.run<op::SFPLOAD>({{"instr_mod0", kFp32}, {"dest_reg_addr", row}});
    for (u32 i = 0; i < kLanes; ++i)
      EXPECT_EQ(bench.sfpu().lreg[4][i],
                ((row & ~3u) + i / 8) * 16 + (i % 8) * 2 + ((row >> 1) & 1));
  }
}

}  // namespace
}  // namespace bhemu::tensix
