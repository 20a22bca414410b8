// Rules of ZEROACC and of moves: what breaks them, and what nearly does; when rules of the matrix
// unit are told.
#include <gtest/gtest.h>

#include <random>

#include "numeric/format_codes.hpp"
#include "support/rounds.hpp"
#include "tensix/unit_bench.hpp"

namespace bhemu::tensix {
namespace {

constexpr u32 kBf16 = 5;
constexpr u32 kTf32 = 4;

/// What ZEROACC of one row (mode 0) or sixteen (mode 1) raises, with Dst of 16 or 32 bits.
bool zeroacc_raises(Rule rule, bool fp32, std::initializer_list<FieldValue> fields,
                    u32 offset = 0) {
  UnitBench bench;
  bench.set<cfg::ALU_ACC_CTRL_Fp32_enabled>(fp32);
  bench.set_thread<thread_cfg::DEST_TARGET_REG_CFG_MATH_Offset>(offset);
  bench.run<op::ZEROACC>(fields);
  return bench.faulted(rule);
}

TEST(FpuRules, zeroacc_of_rows_that_dst_does_not_have_is_diagnosed) {
  const auto raises = [](bool fp32, u32 mode, u32 where, u32 offset = 0) {
    return zeroacc_raises(
        Rule::FpuClearRange, fp32,
        {{"clear_mode", mode}, {"where", where}, {"use_32_bit_mode", mode == 1 && fp32}}, offset);
  };
  EXPECT_TRUE(raises(false, 1, 64));
  EXPECT_TRUE(raises(false, 1, 40, 512));  // 40 in the second half
  EXPECT_TRUE(raises(false, 1, 0x101));    // the lower 8 bits count
  EXPECT_TRUE(raises(true, 1, 32));
  EXPECT_TRUE(raises(false, 0, 1023, 1));
  EXPECT_TRUE(raises(true, 0, 1000, 512));
}

TEST(FpuRules, zeroacc_of_the_last_rows_and_of_no_block_is_silent) {
  const auto silent = [](bool fp32, u32 mode, u32 where, u32 offset = 0) {
    return !zeroacc_raises(
        Rule::FpuClearRange, fp32,
        {{"clear_mode", mode}, {"where", where}, {"use_32_bit_mode", mode == 1 && fp32}}, offset);
  };
  EXPECT_TRUE(silent(false, 1, 63));
  EXPECT_TRUE(silent(false, 1, 31, 512));
  EXPECT_TRUE(silent(false, 1, 0xFF));  // steps the counters only
  EXPECT_TRUE(silent(true, 1, 31));
  EXPECT_TRUE(silent(false, 0, 1023));
  EXPECT_TRUE(silent(true, 0, 4, 512));  // LLK, reduction in the second half
  EXPECT_TRUE(silent(true, 0, 511, 512));
  EXPECT_TRUE(silent(true, 2, 1));
  EXPECT_TRUE(silent(true, 3, 0));
}

TEST(FpuRules, zeroacc_of_sixteen_rows_of_another_width_than_products_have_is_diagnosed) {
  const auto raises = [](bool fp32, u32 mode, u32 wide, u32 revert = 0) {
    return zeroacc_raises(
        Rule::FpuClearWidth, fp32,
        {{"clear_mode", mode}, {"use_32_bit_mode", wide}, {"clear_zero_flags", revert}});
  };
  EXPECT_TRUE(raises(false, 1, 1));
  EXPECT_TRUE(raises(true, 1, 0));
  // Of the same width; halves and all have none; kernels revert the flags of 32 bits on purpose.
  EXPECT_FALSE(raises(false, 1, 0));
  EXPECT_FALSE(raises(true, 1, 1));
  EXPECT_FALSE(raises(true, 2, 0));
  EXPECT_FALSE(raises(true, 3, 0));
  EXPECT_FALSE(raises(false, 1, 1, 1));
}

TEST(FpuRules, low_halves_as_tf32_are_diagnosed_with_fp32_enabled_only) {
  const auto diagnosed = [](bool fp32, u32 format, u32 low) {
    UnitBench bench;
    bench.set_source_formats(format, format);
    bench.set<cfg::ALU_FORMAT_SPEC_REG0_SrcA>(format);
    bench.set<cfg::ALU_ACC_CTRL_Fp32_enabled>(fp32);
    bench.run<op::MOVD2A>({{"instr_mod", 2}, {"dest_32b_lo", low}});
    return bench.faulted(Rule::FpuMoveInFp32);
  };
  EXPECT_TRUE(diagnosed(true, kTf32, 1));
  EXPECT_FALSE(diagnosed(true, kTf32, 0));
  EXPECT_FALSE(diagnosed(true, kBf16, 1));
  EXPECT_FALSE(diagnosed(false, kTf32, 1));
}

// LLK's reduction with fp32 accumulation, as ttnn's softmax has it: GAPOOL with denormals kept, and
// zeros in SrcB beside the factors.
TEST(FpuRules, products_with_denormals_kept_say_so_where_the_sums_show_it) {
  for (const u32 word :
       {encode<op::MVMUL>(), encode<op::DOTPV>(), encode<op::GAPOOL>({{"instr_mod19", 1}})}) {
    for (const bool shows : {false, true}) {
      UnitBench bench;
      bench.set_source_formats(kBf16, kBf16);
      bench.set<cfg::ALU_ACC_CTRL_Zero_Flag_disabled_src>(1);
      auto& a = bench.fpu().src_a.bank[0];
      auto& b = bench.fpu().src_b.bank[0];
      a[0].datum.fill(0x3F800000);
      a[1].datum.fill(shows ? 0x7F000000 : 0x3F800000);  // 2^127, 1
      b[0].datum[0] = 0x3F800000;                        // beside zeros
      bench.run(word);
      // 1 * 1, and 2^127 * 2^-127 where the zero counts as its hidden one.
      EXPECT_EQ(numeric::bf16_from_dst(bench.dst().read16(0, 0)), shows ? 0x4000 : 0x3F80);
      EXPECT_EQ(bench.faulted(Rule::FpuKeepDenormals), shows);
    }
  }
}

TEST(FpuRules, are_told_when_an_instruction_is_executed_not_while_it_waits_for_its_sources) {
  std::mt19937 random(static_cast<u32>(bhemu::test::seed(85)));
  u32 waited = 0;
  for (const Info& info : kInfo) {
    if (info.name == nullptr || info.unit != Unit::Fpu) continue;
    for (u32 i = 0; i < 20; ++i) {
      UnitBench bench;
      bench.fpu().src_a.owner.fill(SrcOwner::Unpacker);
      bench.fpu().src_b.owner.fill(SrcOwner::Unpacker);
      const u32 word = u32{info.opcode} << 24 | (static_cast<u32>(random()) & 0xFFFFFF);
      if (bench.run(word) != Completion::Stall) continue;
      ++waited;
      EXPECT_TRUE(bench.faults().faults().empty()) << info.name << " " << std::hex << word;
    }
  }
  EXPECT_GT(waited, 200u);
}

}  // namespace
}  // namespace bhemu::tensix
