// What earlier chips left behind: instructions that do nothing useful any more, and those of which
// no source says what they do.
#include <gtest/gtest.h>

#include "numeric/format_codes.hpp"
#include "tensix/unit_bench.hpp"

namespace bhemu::tensix {
namespace {

constexpr u32 kBf16 = 5;

/// Sources full of ones, and Dst rows that show what an addition of zero does to them.
class FpuLegacy : public testing::TestWithParam<u32> {
 protected:
  FpuLegacy() {
    bench.set_source_formats(kBf16, kBf16);
    bench.set<cfg::ALU_ACC_CTRL_Fp32_enabled>(1);
    for (SrcRow& row : bench.fpu().src_a.bank[0]) row.datum.fill(0x3F800000);
    for (SrcRow& row : bench.fpu().src_b.bank[0]) row.datum.fill(0x3F800000);
    bench.set_addr_mod(3, 2, 8);
    for (u32 row = 0; row < 32; ++row) {
      bench.dst().write32(row, 0, numeric::dst_from_fp32(0x3FA00001));
      bench.dst().write32(row, 1, numeric::dst_from_fp32(0x807FFFFF));  // a denormal
      bench.dst().write32(row, 2, numeric::dst_from_fp32(0x7FC00001));  // a NaN
    }
    bench.dst().set_valid32(9, false);
  }
  u32 dst(u32 row, u32 column) { return numeric::fp32_from_dst(bench.dst().read32(row, column)); }

  void expect_zero_added(u32 first, u32 count) {
    for (u32 row = 0; row < 32; ++row) {
      const bool touched = row >= first && row < first + count;
      if (row == 9) {
        EXPECT_EQ(bench.dst().valid32(row), touched);
        EXPECT_EQ(dst(row, 0), touched ? 0 : 0x3FA00001);
        continue;
      }
      EXPECT_EQ(dst(row, 0), 0x3FA00001u) << row;
      EXPECT_EQ(dst(row, 1), touched ? 0 : 0x807FFFFF) << row;
      EXPECT_EQ(dst(row, 2), touched ? 0x7F800000 : 0x7FC00001) << row;
    }
  }
  void expect_side_effects() {
    EXPECT_TRUE(bench.faulted(Rule::TensixLegacy));
    EXPECT_EQ(bench.rwc().src_a, 2);
    EXPECT_EQ(bench.rwc().dst, 8);
    EXPECT_EQ(bench.fpu().src_a.matrix_bank, 1);
    EXPECT_EQ(bench.fpu().src_b.matrix_bank, 0);
  }

  UnitBench bench;
};

template <class Op>
u32 word_of(const char* addr_mode, u32 dst) {
  return encode<Op>({{addr_mode, 3}, {"dst", dst}, {"clear_dvalid", 1}});
}

class FpuLegacyConvolution : public FpuLegacy {};
TEST_P(FpuLegacyConvolution, adds_zero_to_eight_rows_with_all_side_effects) {
  ASSERT_EQ(bench.run(GetParam()), Completion::Done);
  expect_zero_added(8, 8);
  expect_side_effects();
}
INSTANTIATE_TEST_SUITE_P(All, FpuLegacyConvolution,
                         testing::Values(word_of<op::CONV3S1>("addr_mode", 13),
                                         word_of<op::CONV3S2>("addr_mode", 13),
                                         word_of<op::MFCONV3S1>("addr_mode", 13)));

class FpuLegacyAverage : public FpuLegacy {};
TEST_P(FpuLegacyAverage, adds_zero_to_four_rows_with_all_side_effects) {
  ASSERT_EQ(bench.run(GetParam()), Completion::Done);
  expect_zero_added(8, 4);
  expect_side_effects();
}
INSTANTIATE_TEST_SUITE_P(All, FpuLegacyAverage,
                         testing::Values(word_of<op::APOOL3S1>("pool_addr_mode", 9),
                                         word_of<op::APOOL3S2>("pool_addr_mode", 9)));

class FpuLegacyMaximum : public FpuLegacy {};
TEST_P(FpuLegacyMaximum, is_gmpool_of_zeros) {
  bench.dst().write32(8, 0, numeric::dst_from_fp32(0xBF800000));
  ASSERT_EQ(bench.run(GetParam()), Completion::Done);
  EXPECT_EQ(dst(8, 0), 0u);           // 0 is larger than -1
  EXPECT_EQ(dst(8, 2), 0x7FC00000u);  // a NaN is a large number, cut to TF32
  for (u32 row = 9; row < 12; ++row) EXPECT_EQ(dst(row, 2), 0u);
  EXPECT_EQ(dst(12, 2), 0x7FC00001u);
  EXPECT_TRUE(bench.dst().valid32(9));
  expect_side_effects();
}
INSTANTIATE_TEST_SUITE_P(All, FpuLegacyMaximum,
                         testing::Values(word_of<op::MPOOL3S1>("pool_addr_mode", 9),
                                         word_of<op::MPOOL3S2>("pool_addr_mode", 9)));

TEST_P(FpuLegacy, waits_for_both_banks_and_changes_nothing_meanwhile) {
  for (SrcFile* file : {&bench.fpu().src_a, &bench.fpu().src_b}) {
    file->owner[0] = SrcOwner::Unpacker;
    EXPECT_EQ(bench.run(GetParam()), Completion::Stall);
    file->owner[0] = SrcOwner::Matrix;
  }
  expect_zero_added(0, 0);
  EXPECT_EQ(bench.rwc().dst, 0);
}
INSTANTIATE_TEST_SUITE_P(All, FpuLegacy,
                         testing::Values(word_of<op::CONV3S1>("addr_mode", 8),
                                         word_of<op::CONV3S2>("addr_mode", 8),
                                         word_of<op::MFCONV3S1>("addr_mode", 8),
                                         word_of<op::APOOL3S1>("pool_addr_mode", 8),
                                         word_of<op::APOOL3S2>("pool_addr_mode", 8),
                                         word_of<op::MPOOL3S1>("pool_addr_mode", 8),
                                         word_of<op::MPOOL3S2>("pool_addr_mode", 8)));

TEST(FpuDead, instructions_wait_for_their_bank_and_then_do_nothing_but_warn) {
  struct Case {
    u32 word;
    bool needs_a;
    bool needs_b;
  };
  for (const Case& one :
       {Case{encode<op::TRNSPSRCA>(), true, false}, Case{encode<op::RAREB>(), false, true},
        Case{encode<op::TBUFCMD>(), false, false}}) {
    UnitBench bench;
    for (u32 j = 0; j < 16; ++j) bench.fpu().src_a.bank[0][j].datum[0] = j << 23;
    bench.fpu().src_a.owner.fill(one.needs_a ? SrcOwner::Unpacker : SrcOwner::Matrix);
    bench.fpu().src_b.owner.fill(one.needs_b ? SrcOwner::Unpacker : SrcOwner::Matrix);
    EXPECT_EQ(bench.run(one.word),
              one.needs_a || one.needs_b ? Completion::Stall : Completion::Done);
    EXPECT_EQ(bench.faulted(Rule::TensixLegacy), !one.needs_a && !one.needs_b);
    bench.fpu().src_a.owner.fill(SrcOwner::Matrix);
    bench.fpu().src_b.owner.fill(SrcOwner::Matrix);
    EXPECT_EQ(bench.run(one.word), Completion::Done);
    EXPECT_TRUE(bench.faulted(Rule::TensixLegacy));
    for (u32 j = 0; j < 16; ++j) EXPECT_EQ(bench.fpu().src_a.bank[0][j].datum[0], j << 23);
  }
}

TEST(FpuUndocumented, instructions_raise_the_rule_that_says_what_is_missing) {
  struct Case {
    u32 word;
    Rule rule;
  };
  for (const Case& one : {Case{encode<op::SETASHRMH0>(), Rule::FpuShiftMask},
                          Case{encode<op::SETASHRMH1>(), Rule::FpuShiftMask},
                          Case{encode<op::SETASHRMV>(), Rule::FpuShiftMask},
                          Case{encode<op::SETASHRMH>(), Rule::FpuShiftMask},
                          Case{encode<op::SETPKEDGOF>(), Rule::PackEdgeWindow},
                          Case{encode<op::RSTDMA>(), Rule::MiscTdmaReset}}) {
    UnitBench bench;
    bench.run(one.word);
    EXPECT_TRUE(bench.faulted(one.rule)) << info_of_word(one.word).name;
    EXPECT_FALSE(info_of_word(one.word).implemented);
  }
}

TEST(FpuUndocumented, stochastic_rounding_stops_what_would_round) {
  for (const u32 word : {encode<op::MVMUL>(), encode<op::ELWADD>(), encode<op::GAPOOL>()}) {
    UnitBench bench;
    bench.set<cfg::ALU_ROUNDING_MODE_Fpu_srnd_en>(1);
    bench.run(word);
    EXPECT_TRUE(bench.faulted(Rule::FpuStochasticRounding));
  }
}

}  // namespace
}  // namespace bhemu::tensix
