// Lane flags, their stack, and the comparisons.
#include <gtest/gtest.h>

#include "tensix/unit_bench.hpp"

namespace bhemu::tensix {
namespace {

constexpr u32 kAll = 0xFFFFFFFF;

/// LReg 0 counts from -16 to 15 over the lanes.
void fill_signed(UnitBench& bench) {
  for (u32 i = 0; i < kLanes; ++i) bench.sfpu().lreg[0][i] = i - 16;
}

TEST(SfpuCondition, encc_sets_both_masks_in_all_lanes_even_disabled_ones) {
  UnitBench bench;
  bench.sfpu().condition = {kAll, 0};
  bench.run<op::SFPENCC>({{"instr_mod1", 10}, {"imm12_math", 3}});
  EXPECT_EQ(bench.sfpu().condition.use_lane_flags, kAll);
  EXPECT_EQ(bench.sfpu().condition.lane_flags, kAll);
  bench.run<op::SFPENCC>({{"instr_mod1", 10}, {"imm12_math", 0}});
  EXPECT_EQ(bench.sfpu().condition.use_lane_flags, 0u);
  EXPECT_EQ(bench.sfpu().condition.lane_flags, 0u);
  bench.run<op::SFPENCC>({{"instr_mod1", 1}});
  EXPECT_EQ(bench.sfpu().condition.use_lane_flags, kAll);
  EXPECT_EQ(bench.sfpu().condition.lane_flags, kAll);
}

TEST(SfpuCondition, setcc_tests_sign_and_zero_of_enabled_lanes) {
  struct {
    u32 mod, flags;
  } const kCases[] = {{0, 0x0000FFFF}, {2, 0xFFFEFFFF}, {4, 0xFFFF0000}, {6, 0x00010000}, {8, 0}};
  for (const auto& c : kCases) {
    UnitBench bench;
    fill_signed(bench);
    bench.sfpu().condition = {kAll, kAll};
    bench.run<op::SFPSETCC>({{"instr_mod1", c.mod}});
    EXPECT_EQ(bench.sfpu().condition.lane_flags, c.flags) << "mod " << c.mod;
  }
  UnitBench bench;
  fill_signed(bench);
  bench.sfpu().condition = {kAll, 0x00FF00FF};
  bench.run<op::SFPSETCC>({{"instr_mod1", 0}});
  EXPECT_EQ(bench.sfpu().condition.lane_flags, 0x000000FFu);
}

TEST(SfpuCondition, setcc_clears_flags_of_lanes_that_do_not_use_them) {
  UnitBench bench;
  bench.sfpu().condition = {0x0000FFFF, kAll};
  bench.run<op::SFPSETCC>({{"instr_mod1", 1}, {"imm12_math", 1}});
  EXPECT_EQ(bench.sfpu().condition.lane_flags, 0x0000FFFFu);
}

TEST(SfpuCondition, if_else_with_nesting_partitions_the_lanes) {
  UnitBench bench;
  fill_signed(bench);
  auto& lreg = bench.sfpu().lreg;
  for (u32 i = 0; i < kLanes; ++i) lreg[1][i] = i & 1;
  bench.run<op::SFPENCC>({{"instr_mod1", 10}, {"imm12_math", 3}});
  bench.run<op::SFPPUSHC>();
  bench.run<op::SFPSETCC>({{"instr_mod1", 0}});  // if L0 < 0
  bench.run<op::SFPPUSHC>();
  bench.run<op::SFPSETCC>({{"instr_mod1", 6}, {"lreg_c", 1}});  //   if L1 == 0
  bench.run<op::SFPLOADI>({{"lreg_ind", 2}, {"instr_mod0", 2}, {"imm16", 1}});
  bench.run<op::SFPCOMPC>();  //   else
  bench.run<op::SFPLOADI>({{"lreg_ind", 2}, {"instr_mod0", 2}, {"imm16", 2}});
  bench.run<op::SFPPOPC>();
  bench.run<op::SFPCOMPC>();  // else
  bench.run<op::SFPLOADI>({{"lreg_ind", 2}, {"instr_mod0", 2}, {"imm16", 3}});
  bench.run<op::SFPPOPC>();
  for (u32 i = 0; i < kLanes; ++i)
    EXPECT_EQ(lreg[2][i], i >= 16 ? 3u : (i & 1) != 0 ? 2u : 1u) << "lane " << i;
  EXPECT_EQ(bench.sfpu().condition.lane_flags, kAll);
  EXPECT_EQ(bench.sfpu().stack_size, 0u);
  EXPECT_TRUE(bench.faults().faults().empty());
}

/// The truth tables of SFPPUSHC.md and SFPPOPC.md: bit 2a + b of the entry is the result.
constexpr u32 kTruth[13] = {0, 0xA, 0x5, 0x8, 0xE, 0x4, 0xD, 0x2, 0xB, 0x1, 0x7, 0x6, 0x9};

u32 apply(u32 mod, u32 a, u32 b) {
  u32 result = 0;
  for (u32 i = 0; i < kLanes; ++i)
    result |= static_cast<u32>(bit(kTruth[mod], 2 * bit(a, i) + bit(b, i))) << i;
  return result;
}

TEST(SfpuCondition, pushc_and_popc_combine_by_twelve_boolean_functions) {
  constexpr u32 kTop = 0x33333333;
  constexpr u32 kNow = 0x55555555;
  for (u32 mod = 1; mod <= 12; ++mod) {
    UnitBench push;
    push.sfpu().condition = {0x0F0F0F0F, kNow};
    push.sfpu().stack[0] = {kAll, kTop};
    push.sfpu().stack_size = 1;
    push.run<op::SFPPUSHC>({{"instr_mod1", mod}});
    EXPECT_EQ(push.sfpu().stack_size, 1u);
    EXPECT_EQ(push.sfpu().stack[0].use_lane_flags, 0x0F0F0F0Fu);
    EXPECT_EQ(push.sfpu().stack[0].lane_flags, apply(mod, kTop, kNow)) << "mod " << mod;

    UnitBench pop;
    pop.sfpu().condition = {0x0F0F0F0F, kNow};
    pop.sfpu().stack[0] = {kAll, kTop};
    pop.sfpu().stack_size = 1;
    pop.run<op::SFPPOPC>({{"instr_mod1", mod}});
    EXPECT_EQ(pop.sfpu().stack_size, 1u);
    EXPECT_EQ(pop.sfpu().condition.use_lane_flags, kAll);
    EXPECT_EQ(pop.sfpu().condition.lane_flags, apply(mod, kNow, kTop)) << "mod " << mod;
  }
}

TEST(SfpuCondition, pushc_and_popc_constants_and_inversion) {
  UnitBench bench;
  bench.sfpu().condition = {0x0000FFFF, 0x00FF00FF};
  bench.run<op::SFPPUSHC>();
  bench.run<op::SFPPUSHC>({{"instr_mod1", 13}});
  EXPECT_EQ(bench.sfpu().condition.lane_flags, 0xFF00FF00u);
  EXPECT_EQ(bench.sfpu().stack[0].lane_flags, 0xFF00FF00u);
  bench.run<op::SFPPUSHC>({{"instr_mod1", 15}});
  EXPECT_EQ(bench.sfpu().stack[0].use_lane_flags, kAll);
  EXPECT_EQ(bench.sfpu().stack[0].lane_flags, 0u);
  bench.run<op::SFPPUSHC>({{"instr_mod1", 14}});
  EXPECT_EQ(bench.sfpu().stack[0].lane_flags, kAll);
  bench.run<op::SFPPOPC>({{"instr_mod1", 13}});
  EXPECT_EQ(bench.sfpu().condition.lane_flags, 0x00FF00FFu);
  bench.run<op::SFPPOPC>({{"instr_mod1", 15}});
  EXPECT_EQ(bench.sfpu().condition.use_lane_flags, kAll);
  EXPECT_EQ(bench.sfpu().condition.lane_flags, 0u);
}

TEST(SfpuCondition, ninth_push_and_pop_of_nothing_are_faults) {
  UnitBench bench;
  for (u32 i = 0; i < 8; ++i) bench.run<op::SFPPUSHC>();
  EXPECT_TRUE(bench.faults().faults().empty());
  bench.run<op::SFPPUSHC>();
  EXPECT_TRUE(bench.faulted(Rule::SfpuConditionStack));
  EXPECT_EQ(bench.sfpu().stack_size, 8u);
  UnitBench other;
  other.run<op::SFPPOPC>();
  EXPECT_TRUE(other.faulted(Rule::SfpuConditionStack));
}

TEST(SfpuCondition, gt_and_le_follow_the_total_order) {
  // Ascending: -NaN, -Inf, -1, -denormal, -0, +0, +denormal, 1, Inf, NaN.
  constexpr u32 kAscending[] = {0xFFC00000, 0xFF800000, 0xBF800000, 0x80000001, 0x80000000,
                                0x00000000, 0x00000001, 0x3F800000, 0x7F800000, 0x7FC00000};
  for (u32 d = 0; d < std::size(kAscending); ++d) {
    for (u32 c = 0; c < std::size(kAscending); ++c) {
      UnitBench bench;
      bench.sfpu().condition = {kAll, 0x0000FFFF};
      bench.sfpu().lreg[0].lane.fill(kAscending[c]);
      bench.sfpu().lreg[1].lane.fill(kAscending[d]);
      bench.sfpu().lreg[2].lane.fill(kAscending[d]);
      bench.run<op::SFPGT>({{"lreg_dest", 1}, {"instr_mod1", 8}});
      bench.run<op::SFPLE>({{"lreg_dest", 2}, {"instr_mod1", 9}});
      EXPECT_EQ(bench.sfpu().lreg[1][0], d > c ? kAll : 0u);
      EXPECT_EQ(bench.sfpu().lreg[1][31], kAscending[d]);
      EXPECT_EQ(bench.sfpu().lreg[2][0], d <= c ? kAll : 0u);
      EXPECT_EQ(bench.sfpu().condition.lane_flags, d <= c ? 0x0000FFFFu : 0u);
    }
  }
}

TEST(SfpuCondition, comparisons_change_the_top_of_the_stack_in_disabled_lanes_too) {
  UnitBench bench;
  fill_signed(bench);  // D = L0, C = 0
  bench.sfpu().condition = {kAll, 0};
  bench.sfpu().stack[0] = {kAll, 0x0F0F0F0F};
  bench.sfpu().stack_size = 1;
  bench.run<op::SFPGT>({{"lreg_dest", 0}, {"lreg_c", 9}, {"instr_mod1", 2}});
  EXPECT_EQ(bench.sfpu().stack[0].lane_flags, 0x0F0E0000u);
  bench.run<op::SFPLE>({{"lreg_dest", 0}, {"lreg_c", 9}, {"instr_mod1", 6}});
  EXPECT_EQ(bench.sfpu().stack[0].lane_flags, 0x0F0FFFFFu);
}

TEST(SfpuCondition, iadd_lz_and_exexp_set_flags_as_their_modes_say) {
  UnitBench bench;
  fill_signed(bench);
  auto flags_after = [&](u32 word) {
    bench.sfpu().condition = {kAll, kAll};
    bench.run(word);
    return bench.sfpu().condition.lane_flags;
  };
  auto iadd = [](u32 mod) {  // D = C + 0
    return encode<op::SFPIADD>({{"lreg_dest", 3}, {"lreg_c", 0}, {"instr_mod1", mod}});
  };
  EXPECT_EQ(flags_after(iadd(1)), 0x0000FFFFu);
  EXPECT_EQ(flags_after(iadd(9)), 0xFFFF0000u);
  EXPECT_EQ(flags_after(iadd(5)), kAll);
  EXPECT_EQ(flags_after(iadd(13)), 0u);
  auto lz = [](u32 mod) {
    return encode<op::SFPLZ>({{"lreg_dest", 3}, {"lreg_c", 0}, {"instr_mod1", mod}});
  };
  EXPECT_EQ(flags_after(lz(2)), 0xFFFEFFFFu);
  EXPECT_EQ(flags_after(lz(10)), 0x00010000u);
  bench.sfpu().lreg[0].lane.fill(0x3F000000);  // exponent -1
  bench.sfpu().lreg[0][5] = 0x3F800000;
  auto exexp = [](u32 mod) {
    return encode<op::SFPEXEXP>({{"lreg_dest", 3}, {"lreg_c", 0}, {"instr_mod1", mod}});
  };
  EXPECT_EQ(flags_after(exexp(2)), 0xFFFFFFDFu);
  EXPECT_EQ(flags_after(exexp(10)), 0x00000020u);
}

}  // namespace
}  // namespace bhemu::tensix
