// Moves between Src and Dst, and what clears, shifts or hands over the register files.
#include <gtest/gtest.h>

#include "numeric/format_codes.hpp"
#include "tensix/sfpu/vector.hpp"
#include "tensix/unit_bench.hpp"

namespace bhemu::tensix {
namespace {

constexpr u32 kFp16 = 1;
constexpr u32 kTf32 = 4;
constexpr u32 kBf16 = 5;

SrcRow& a_row(UnitBench& bench, u32 row) {
  return bench.fpu().src_a.bank[0][row];
}
SrcRow& b_row(UnitBench& bench, u32 row) {
  return bench.fpu().src_b.bank[0][row];
}
u16 raw(UnitBench& bench, u32 row, u32 column = 0) {
  return bench.fpu().dst.row[row].datum[column];
}

TEST(FpuMoves, S1_tf32_cells_become_32_bit_datums_whatever_the_dst_mode) {
  UnitBench bench;
  bench.set_source_formats(kTf32, kTf32);
  a_row(bench, 0).datum[0] = 0x3F81E000;
  bench.run<op::MOVA2D>({{"instr_mod", 2}});
  EXPECT_EQ(raw(bench, 0), 0x017F);
  EXPECT_EQ(raw(bench, 8), 0xE000);
}

TEST(FpuMoves, S2_S3_bf16_and_fp16_cells_become_16_bit_datums) {
  UnitBench bench;
  bench.set_source_formats(kBf16, kBf16);
  a_row(bench, 0).datum[0] = 0x3F81E000;
  bench.run<op::MOVA2D>({{"instr_mod", 2}});
  EXPECT_EQ(raw(bench, 0), 0x017F);
  bench.set_source_formats(kFp16, kFp16);
  a_row(bench, 0).datum[0] = 15u << 23 | 1u << 13;  // 3C01
  bench.run<op::MOVA2D>({{"instr_mod", 2}});
  EXPECT_EQ(raw(bench, 0), 0x002F);
}

TEST(FpuMoves, S4_low_half_takes_the_storage_pattern_and_the_high_half_stays) {
  for (const bool valid : {true, false}) {
    UnitBench bench;
    bench.set_source_formats(kBf16, kBf16);
    a_row(bench, 0).datum[0] = 0x3F810000;
    bench.dst().write32(0, 0, numeric::dst_from_fp32(0x12345678));
    bench.dst().set_valid32(0, valid);
    bench.run<op::MOVA2D>({{"instr_mod", 2}, {"dest_32b_lo", 1}});
    EXPECT_EQ(raw(bench, 0), valid ? 0x3424 : 0);
    EXPECT_EQ(raw(bench, 8), 0x017F);
    EXPECT_TRUE(bench.dst().valid32(0));
  }
}

TEST(FpuMoves, S5_denormals_are_flushed_unless_kept) {
  for (const u32 keep : {0u, 1u}) {
    UnitBench bench;
    bench.set_source_formats(kBf16, kBf16);
    bench.set<cfg::ALU_ACC_CTRL_Zero_Flag_disabled_src>(keep);
    a_row(bench, 0).datum[0] = 0x807F0000;
    bench.run<op::MOVA2D>({{"instr_mod", 2}});
    EXPECT_EQ(raw(bench, 0), keep != 0 ? 0xFF00 : 0);
  }
}

TEST(FpuMoves, S6_dst_to_srca_narrows_fp32_to_tf32_and_back) {
  UnitBench bench;
  bench.set_source_formats(kTf32, kTf32);
  bench.set<cfg::ALU_ACC_CTRL_Fp32_enabled>(1);
  bench.dst().write32(0, 0, numeric::dst_from_fp32(0xBF81FFFF));
  bench.run<op::MOVD2A>({{"instr_mod", 2}});
  EXPECT_EQ(a_row(bench, 0).datum[0], 0xBF81E000u);
  bench.run<op::MOVA2D>({{"instr_mod", 2}});
  EXPECT_EQ(numeric::fp32_from_dst(bench.dst().read32(0, 0)), 0xBF81E000u);
}

// Vector S7 was read from ttsim, which leaves FFFF in the low half; cards write 32 bits.
TEST(FpuMoves, S7_with_bf16_codes_and_fp32_enabled_the_way_back_writes_32_bit_rows) {
  UnitBench bench;
  bench.set_source_formats(kBf16, kBf16);
  bench.set<cfg::ALU_ACC_CTRL_Fp32_enabled>(1);
  bench.dst().write32(0, 0, numeric::dst_from_fp32(0xBF81FFFF));
  bench.run<op::MOVD2A>({{"instr_mod", 2}});
  bench.run<op::MOVA2D>({{"instr_mod", 2}});
  EXPECT_EQ(raw(bench, 0), 0x817F);
  EXPECT_EQ(raw(bench, 8), 0);
  EXPECT_TRUE(bench.faults().faults().empty());
}

TEST(FpuMoves, with_fp32_enabled_every_source_counts_as_tf32) {
  for (const u32 format : {kFp16, kTf32, kBf16}) {
    UnitBench bench;
    bench.set_source_formats(format, format);
    bench.set<cfg::ALU_ACC_CTRL_Fp32_enabled>(1);
    const u32 cell = 0x8781E000;  // as FP16 it would be another number
    a_row(bench, 0).datum[3] = cell;
    b_row(bench, 0).datum[4] = cell;
    bench.run<op::MOVA2D>({{"instr_mod", 2}, {"dst", 16}});
    EXPECT_EQ(numeric::fp32_from_dst(bench.dst().read32(16, 3)), cell);
    bench.run<op::MOVB2D>({{"movb2d_instr_mod", 4}, {"dst", 24}});
    EXPECT_EQ(numeric::fp32_from_dst(bench.dst().read32(24, 4)), cell);
    bench.run<op::MOVA2D>({{"instr_mod", 2}, {"dest_32b_lo", 1}});
    EXPECT_TRUE(bench.faulted(Rule::TensixUndefined));
  }
}

TEST(FpuMoves, int8_math_makes_exponents_long_and_leaves_rows_short) {
  UnitBench bench;
  bench.set_source_formats(kFp16, kFp16);
  bench.set<cfg::ALU_ACC_CTRL_INT8_math_enabled>(1);
  a_row(bench, 0).datum[0] = 0x4181E000;
  bench.dst().write32(0, 0, 0x12345678);
  bench.run<op::MOVA2D>({{"instr_mod", 2}});
  EXPECT_EQ(bench.dst().read32(0, 0), u32{numeric::dst_from_bf16(0x4181)} << 16 | 0x5678);
}

TEST(FpuMoves, fp16a_force_makes_moves_of_tf32_16_bits_wide) {
  UnitBench bench;
  bench.set_source_formats(kTf32, kTf32);
  bench.set<cfg::ALU_ACC_CTRL_Fp32_enabled>(1);
  bench.set_thread<thread_cfg::FP16A_FORCE_Enable>(1);
  a_row(bench, 0).datum[0] = 15u << 23 | 1u << 13;
  bench.dst().write32(0, 0, 0x12345678);
  bench.run<op::MOVA2D>({{"instr_mod", 2}});
  EXPECT_EQ(bench.dst().read32(0, 0), 0x002F5678u);
}

// How tenstorrent/tt-llk transposes and broadcasts 32-bit datums on Blackhole: Fp32_enabled off,
// 16-bit rows laid over the high halves by the debug feature bit, halves moved one after the other.
TEST(FpuMoves, low_halves_move_with_fp32_disabled_under_feature_bit_11) {
  UnitBench bench;
  bench.set_source_formats(kBf16, kBf16);
  bench.set<cfg::ALU_ACC_CTRL_Zero_Flag_disabled_src>(1);
  bench.state().cfg.debug_feature_disable = 1u << 11;
  bench.dst().write32(16, 5, 0x3F819200);
  bench.run<op::MOVD2B>({{"src", 16}, {"dst", 16}});
  bench.run<op::MOVD2B>({{"dst", 16}, {"dest_32b_lo", 1}});
  bench.run<op::MOVB2D>({{"src", 16}, {"movb2d_instr_mod", 2}, {"dst", 32}});
  bench.run<op::MOVB2D>({{"movb2d_instr_mod", 2}, {"dst", 32}, {"dest_32b_lo", 1}});
  for (u32 row = 32; row < 40; ++row) EXPECT_EQ(bench.dst().read32(row, 5), 0x3F819200u) << row;
  // LLK moves the low halves when other high halves are there already (ttnn.transpose of int32).
  bench.run<op::MOVB2D>({{"src", 0}, {"movb2d_instr_mod", 4}, {"dst", 16}});
  EXPECT_EQ(bench.dst().read32(16, 5) & 0xFFFF, 0x9200u);
  EXPECT_TRUE(bench.faults().faults().empty());
  bench.state().cfg.debug_feature_disable = 0;
  bench.run<op::MOVD2B>({{"dest_32b_lo", 1}});
  EXPECT_TRUE(bench.faulted(Rule::TensixUndefined));
}

TEST(FpuMoves, S8_low_half_of_dst_through_srcb_to_eight_rows) {
  UnitBench bench;
  bench.set_source_formats(kBf16, kBf16);
  bench.set<cfg::ALU_ACC_CTRL_Fp32_enabled>(1);
  bench.dst().write32(0, 0, numeric::dst_from_fp32(0x1234017F));
  bench.run<op::MOVD2B>({{"instr_mod", 2}, {"dest_32b_lo", 1}});
  bench.run<op::MOVB2D>({{"movb2d_instr_mod", 2}});
  for (u32 row = 0; row < 8; ++row) EXPECT_EQ(raw(bench, row), 0x017F);
}

TEST(FpuMoves, S9_to_S11_srcb_transposed_and_broadcast) {
  UnitBench bench;
  bench.set_source_formats(kTf32, kTf32);
  b_row(bench, 21).datum[2] = 0x40520000;
  bench.run<op::TRNSPSRCB>();
  bench.run<op::MOVB2D>({{"movb2d_instr_mod", 4}, {"src", 16}});
  EXPECT_EQ(numeric::fp32_from_dst(bench.dst().read32(2, 5)), 0x40520000u);
  b_row(bench, 17).datum[0] = 0x40100000;
  bench.run<op::MOVB2D>({{"movb2d_instr_mod", 5}, {"src", 16}});
  EXPECT_EQ(numeric::fp32_from_dst(bench.dst().read32(1, 7)), 0x40100000u);
  b_row(bench, 16).datum[3] = 0x40030000;
  bench.run<op::MOVB2D>({{"movb2d_instr_mod", 2}, {"src", 16}});
  EXPECT_EQ(numeric::fp32_from_dst(bench.dst().read32(5, 3)), 0x40030000u);
}

TEST(FpuMoves, S12_row_512_of_the_32_bit_view_aliases_row_256) {
  UnitBench bench;
  bench.set_source_formats(kTf32, kTf32);
  a_row(bench, 0).datum[0] = 0x3F81E000;
  bench.run<op::MOVA2D>({{"instr_mod", 2}, {"dst", 512}});
  EXPECT_EQ(numeric::fp32_from_dst(bench.dst().read32(256, 0)), 0x3F81E000u);
}

TEST(FpuMoves, S13_16_bit_rows_8_to_15_are_low_halves_of_32_bit_rows) {
  UnitBench bench;
  bench.set_source_formats(kBf16, kBf16);
  for (u32 i = 0; i < 8; ++i) a_row(bench, i).datum.fill(0x3F810000);
  bench.run<op::ELWADD>({{"dst", 8}});
  EXPECT_EQ(bench.dst().read32(0, 0), 0x0000017Fu);
}

TEST(FpuMoves, S14_dst_rows_of_a_product_wrap_at_1024) {
  UnitBench bench;
  bench.set_source_formats(kBf16, kBf16);
  for (u32 i = 0; i < 16; ++i) {
    a_row(bench, i).datum.fill(0x3F800000);
    b_row(bench, i).datum.fill(0x3F800000);
  }
  bench.set_thread<thread_cfg::DEST_TARGET_REG_CFG_MATH_Offset>(1016);
  bench.run<op::MVMUL>({{"dst", 8}});
  EXPECT_EQ(numeric::bf16_from_dst(bench.dst().read16(0, 0)), 0x4180);
}

TEST(FpuMoves, S15_minus_infinity_fill_gives_minus_infinity_through_gmpool) {
  UnitBench bench;
  bench.set_source_formats(kBf16, kBf16);
  bench.set<cfg::ALU_ACC_CTRL_Fp32_enabled>(1);
  bench.run<op::ZEROSRC>({{"src_mask", 1}, {"bank_mask", 1}, {"zero_val", 1}});
  b_row(bench, 0).datum.fill(0x3F800000);
  bench.run<op::ZEROACC>({{"clear_mode", 3}});
  bench.run<op::GMPOOL>({{"instr_mod19", 1}});
  EXPECT_EQ(numeric::fp32_from_dst(bench.dst().read32(0, 0)), 0xFFFF0000u);
  EXPECT_EQ(bench.dst().read32(3, 15), 0u);
  EXPECT_TRUE(bench.dst().valid32(3));
}

TEST(FpuMoves, gmpool_in_index_mode_returns_maximum_and_transformed_index) {
  UnitBench bench;
  bench.set_source_formats(kBf16, kBf16);
  bench.set<cfg::ALU_ACC_CTRL_Fp32_enabled>(1);
  b_row(bench, 0).datum.fill(0x3F800000);
  for (u32 row = 0; row < 16; ++row) a_row(bench, row).datum.fill(0x3F800000);
  a_row(bench, 2).datum[0] = 0x40000000;   // maximum in the first eight rows
  a_row(bench, 12).datum[1] = 0x40000000;  // maximum below: index of the last tie above
  bench.dst().write32(0, 0, 0x00000000);
  bench.dst().write32(0, 1, 0x00000000);
  bench.run<op::GMPOOL>({{"instr_mod19", 1}, {"max_pool_index_en", 1}});
  EXPECT_EQ(bench.dst().read32(0, 0), 0x00800000u | 0x100u | (0x10 + 6));
  // Rows are visited 4,5,6,7,0,1,2,3: of equal ones row 3 comes last.
  EXPECT_EQ(bench.dst().read32(0, 1), 0x00800000u | 0x100u | (0x10 + 1));
  EXPECT_EQ(bench.dst().read32(1, 0), 0x100u);
}

// Seen on cards with FP8 sources: the exponents keep the bias of FP16 twice, Dst wants that of
// FP32.
TEST(FpuMoves, gmpool_of_fp16_into_a_32_bit_dst_gives_wrong_numbers) {
  UnitBench bench;
  bench.set_source_formats(kFp16, kFp16);
  bench.set<cfg::ALU_ACC_CTRL_Fp32_enabled>(1);
  for (u32 i = 0; i < 16; ++i) a_row(bench, i).datum.fill(15u << 23 | 0x200u << 13);  // 1.5
  b_row(bench, 0).datum.fill(15u << 23);
  bench.run<op::ZEROACC>({{"clear_mode", 3}});
  bench.run<op::GMPOOL>({{"instr_mod19", 1}});
  // Exponent 15 + 15 - 127 modulo 256.
  EXPECT_EQ(numeric::fp32_from_dst(bench.dst().read32(0, 0)), 159u << 23 | 0x400000);
}

TEST(FpuMoves, gmpool_scales_by_the_exponents_of_srcb) {
  UnitBench bench;
  bench.set_source_formats(kBf16, kBf16);
  for (u32 row = 0; row < 16; ++row) a_row(bench, row).datum.fill(0x3F800000);
  b_row(bench, 0).datum.fill(0);          // minus infinity
  b_row(bench, 0).datum[3] = 0x40FFE000;  // only the exponent counts: 4
  bench.run<op::ZEROACC>({{"clear_mode", 3}});
  bench.run<op::GMPOOL>({{"instr_mod19", 1}});
  EXPECT_EQ(numeric::bf16_from_dst(bench.dst().read16(0, 0)), 0x4080);
}

TEST(FpuMoves, one_row_forms_move_one_unaligned_row) {
  UnitBench bench;
  bench.set_source_formats(kBf16, kBf16);
  a_row(bench, 13).datum.fill(0x40000000);
  bench.run<op::MOVA2D>({{"src", 13}, {"dst", 5}});
  EXPECT_EQ(numeric::bf16_from_dst(bench.dst().read16(5, 9)), 0x4000);
  EXPECT_EQ(bench.dst().read16(6, 9), 0);
  bench.run<op::MOVD2B>({{"src", 7}, {"dst", 5}});
  EXPECT_EQ(b_row(bench, 7).datum[15], 0x40000000u);
  bench.run<op::MOVB2A>({{"srca", 3}, {"srcb", 7}});
  EXPECT_EQ(a_row(bench, 3).datum[15], 0x40000000u);
  EXPECT_EQ(a_row(bench, 4).datum[15], 0u);
}

TEST(FpuMoves, blocked_columns_are_left_alone) {
  UnitBench bench;
  bench.set_source_formats(kBf16, kBf16);
  bench.run<op::SFPCONFIG>({{"config_dest", 15}, {"instr_mod1", 1}, {"imm16_math", 1u << 10}});
  a_row(bench, 0).datum.fill(0x3F800000);
  bench.run<op::MOVA2D>();
  for (u32 j = 0; j < 16; ++j) EXPECT_EQ(raw(bench, 0, j), j % 2 == 0 ? 0x007F : 0);
}

TEST(FpuMoves, movb2a_leaves_blocked_columns_alone) {
  UnitBench bench;
  bench.sfpu().lane_config[1] = 1u << 10;  // column 3
  sfpu::follow_lane_config(bench.sfpu());
  for (u32 row = 4; row < 8; ++row) b_row(bench, row).datum.fill(0x40000000 + (row << 16));
  a_row(bench, 9).datum.fill(0x3F800000);
  bench.run<op::MOVB2A>({{"srca", 9}, {"srcb", 6}, {"instr_mod", 2}});
  for (u32 i = 0; i < 4; ++i) {
    for (u32 j = 0; j < 16; ++j) {
      const u32 old = i == 1 ? 0x3F800000 : 0;
      EXPECT_EQ(a_row(bench, 8 + i).datum[j], j == 3 ? old : 0x40040000 + (i << 16)) << i << j;
    }
  }
}

TEST(FpuMoves, debug_moves_do_not_wait_and_are_otherwise_the_same) {
  UnitBench bench;
  bench.set_source_formats(kBf16, kBf16);
  bench.fpu().src_a.owner.fill(SrcOwner::Unpacker);
  bench.fpu().src_b.owner.fill(SrcOwner::Unpacker);
  a_row(bench, 3).datum[7] = 0x3F810000;
  b_row(bench, 5).datum[0] = 0x40400000;
  bench.set_addr_mod(1, 1 | 2 << 8, 3);
  EXPECT_EQ(bench.run<op::MOVDBGA2D>({{"src", 3}, {"dst", 2}, {"addr_mode", 1}}), Completion::Done);
  EXPECT_EQ(raw(bench, 2, 7), 0x017F);
  EXPECT_EQ(bench.rwc().src_b, 2);
  // One row, column 0 to all columns; the counters have moved on.
  EXPECT_EQ(bench.run<op::MOVDBGB2D>({{"src", 3}, {"dst", 9}, {"movb2d_instr_mod", 1}}),
            Completion::Done);
  for (u32 j = 0; j < 16; ++j) EXPECT_EQ(raw(bench, 12, j), numeric::dst_from_bf16(0x4040));
  // Four rows, and one row to eight.
  bench.run<op::MOVDBGB2D>({{"src", 2}, {"dst", 13}, {"movb2d_instr_mod", 4}});
  EXPECT_EQ(raw(bench, 17, 0), numeric::dst_from_bf16(0x4040));
  bench.run<op::MOVDBGB2D>({{"src", 3}, {"dst", 21}, {"movb2d_instr_mod", 2}});
  for (u32 row = 24; row < 32; ++row) EXPECT_EQ(raw(bench, row, 0), numeric::dst_from_bf16(0x4040));
}

TEST(FpuMoves, instructions_wait_for_their_banks_and_change_nothing_meanwhile) {
  UnitBench bench;
  bench.fpu().src_a.owner.fill(SrcOwner::Unpacker);
  bench.set_addr_mod(0, 1, 1);
  EXPECT_EQ(bench.run<op::MOVA2D>(), Completion::Stall);
  EXPECT_EQ(bench.run<op::MVMUL>(), Completion::Stall);
  EXPECT_EQ(bench.run<op::GMPOOL>({{"instr_mod19", 1}}), Completion::Stall);
  EXPECT_EQ(bench.run<op::ELWADD>(), Completion::Stall);
  EXPECT_EQ(bench.rwc().dst, 0);
  EXPECT_EQ(bench.run<op::MOVB2D>(), Completion::Done);
  EXPECT_EQ(bench.run<op::MOVD2A>(), Completion::Done);
  EXPECT_EQ(bench.run<op::MOVDBGA2D>(), Completion::Done);
  bench.fpu().src_b.owner.fill(SrcOwner::Unpacker);
  EXPECT_EQ(bench.run<op::MOVB2D>(), Completion::Stall);
  EXPECT_EQ(bench.run<op::MOVB2A>(), Completion::Stall);
  EXPECT_EQ(bench.run<op::TRNSPSRCB>(), Completion::Stall);
  EXPECT_EQ(bench.run<op::MOVD2B>(), Completion::Done);
}

TEST(FpuMoves, clear_bits_flip_banks_and_the_disable_bits_keep_ownership) {
  UnitBench bench;
  bench.run<op::ELWADD>({{"clear_dvalid", 1}});
  EXPECT_EQ(bench.fpu().src_a.matrix_bank, 1);
  EXPECT_EQ(bench.fpu().src_a.owner[0], SrcOwner::Unpacker);
  EXPECT_EQ(bench.fpu().src_b.matrix_bank, 0);
  bench.set_thread<thread_cfg::CLR_DVALID_SrcB_Disable>(1);
  bench.run<op::SETRWC>({{"clear_ab_vld", 2}});
  EXPECT_EQ(bench.fpu().src_b.matrix_bank, 1);
  EXPECT_EQ(bench.fpu().src_b.owner[0], SrcOwner::Matrix);
  // CLEARDVALID does not look at the disable bits.
  bench.run<op::CLEARDVALID>({{"cleardvalid", 2}});
  EXPECT_EQ(bench.fpu().src_b.matrix_bank, 0);
  EXPECT_EQ(bench.fpu().src_b.owner[1], SrcOwner::Unpacker);
  bench.run<op::CLEARDVALID>({{"cleardvalid", 2}, {"reset", 2}});
  EXPECT_EQ(bench.fpu().src_b.matrix_bank, 0);
  EXPECT_EQ(bench.fpu().src_b.owner[0], SrcOwner::Unpacker);
  bench.run<op::CLEARDVALID>({{"reset", 1}});
  EXPECT_EQ(bench.fpu().src_a.matrix_bank, 0);
  EXPECT_EQ(bench.fpu().src_a.owner[1], SrcOwner::Unpacker);
}

TEST(FpuMoves, zeroacc_clears_flags_only_and_readers_see_the_identity) {
  UnitBench bench;
  bench.set_source_formats(kBf16, kBf16);
  bench.dst().write16(3, 3, 0x1234);
  bench.run<op::ZEROACC>({{"clear_mode", 0}, {"where", 3}});
  EXPECT_FALSE(bench.dst().valid16(3));
  EXPECT_TRUE(bench.dst().valid16(2));
  EXPECT_EQ(bench.dst().read16(3, 3), 0x1234);
  bench.run<op::MOVD2A>({{"dst", 3}});
  EXPECT_EQ(a_row(bench, 0).datum[3], 0u);
}

/// First and last physical row without flag, and how many there are.
struct Cleared {
  u32 first = 0, last = 0, count = 0;
  friend bool operator==(const Cleared&, const Cleared&) = default;
};
Cleared cleared_rows(UnitBench& bench) {
  Cleared result;
  for (u32 i = 0; i < kDstRows; ++i) {
    if (bench.fpu().dst.valid[i] != 0) continue;
    if (result.count++ == 0) result.first = i;
    result.last = i;
  }
  return result;
}
Cleared after_zeroacc(u32 wide, u32 where, u32 offset) {
  UnitBench bench;
  bench.set_thread<thread_cfg::DEST_TARGET_REG_CFG_MATH_Offset>(offset);
  bench.run<op::ZEROACC>({{"clear_mode", 1}, {"where", where}, {"use_32_bit_mode", wide}});
  return cleared_rows(bench);
}

TEST(FpuMoves, Z1_Z2_sixteen_row_blocks_follow_the_counters_into_the_other_half) {
  EXPECT_EQ(after_zeroacc(0, 16, 0), (Cleared{256, 271, 16}));
  EXPECT_EQ(after_zeroacc(0, 16, 256), (Cleared{256, 271, 16}));
  EXPECT_EQ(after_zeroacc(0, 16, 512), (Cleared{768, 783, 16}));
  EXPECT_EQ(after_zeroacc(1, 8, 0), (Cleared{256, 279, 16}));
  EXPECT_EQ(after_zeroacc(1, 8, 128), (Cleared{256, 279, 16}));
  EXPECT_EQ(after_zeroacc(1, 8, 256), (Cleared{768, 791, 16}));
  EXPECT_EQ(after_zeroacc(1, 8, 512), (Cleared{768, 791, 16}));
  EXPECT_EQ(after_zeroacc(0, 0xFF, 0), (Cleared{}));
}

TEST(FpuMoves, zeroacc_takes_halves_and_all_and_reverts_in_every_mode) {
  UnitBench bench;
  bench.run<op::ZEROACC>({{"clear_mode", 2}, {"where", 1}});
  EXPECT_EQ(cleared_rows(bench), (Cleared{512, 1023, 512}));
  bench.run<op::ZEROACC>({{"clear_mode", 3}});
  EXPECT_EQ(cleared_rows(bench), (Cleared{0, 1023, 1024}));
  bench.run<op::ZEROACC>({{"clear_mode", 1}, {"use_32_bit_mode", 1}, {"clear_zero_flags", 1}});
  EXPECT_EQ(cleared_rows(bench).first, 8u);
  bench.run<op::ZEROACC>({{"clear_mode", 0}, {"where", 8}, {"clear_zero_flags", 1}});
  EXPECT_EQ(cleared_rows(bench).first, 9u);
  bench.run<op::ZEROACC>({{"clear_mode", 2}, {"where", 0}, {"clear_zero_flags", 1}});
  EXPECT_EQ(cleared_rows(bench), (Cleared{512, 1023, 512}));
  bench.run<op::ZEROACC>({{"clear_mode", 3}, {"clear_zero_flags", 1}});
  EXPECT_EQ(cleared_rows(bench).count, 0u);
  EXPECT_TRUE(bench.faults().faults().empty());
}

TEST(FpuMoves, zeroacc_gives_banks_back_in_every_mode) {
  for (u32 mode = 0; mode < 4; ++mode) {
    UnitBench bench;
    bench.set_thread<thread_cfg::CLR_DVALID_SrcB_Disable>(1);
    bench.run<op::ZEROACC>({{"clear_mode", mode}, {"where", 0xFF}, {"clear_dvalid", 3}});
    EXPECT_EQ(bench.fpu().src_a.matrix_bank, 1);
    EXPECT_EQ(bench.fpu().src_a.owner[0], SrcOwner::Unpacker);
    EXPECT_EQ(bench.fpu().src_b.matrix_bank, 1);
    EXPECT_EQ(bench.fpu().src_b.owner[0], SrcOwner::Matrix);
  }
}

/// The rows that read as cleared in the 16-bit or the 32-bit view.
Cleared cleared_in_view(UnitBench& bench, bool wide) {
  const DstAccess access(bench.state());
  Cleared result{};
  for (u32 row = 0; row < (wide ? kDstRows / 2 : kDstRows); ++row) {
    if (wide ? access.valid32(row) : access.valid16(row)) continue;
    if (result.count++ == 0) result.first = row;
    result.last = row;
  }
  return result;
}

TEST(FpuMoves, zeroacc_clears_the_rows_that_others_address_whatever_permutation_is_on) {
  for (const u32 bits : {0u, 1u, 2u, 3u})
    for (const bool wide : {false, true})
      for (u32 block = 0; block < (wide ? 16u : 32u); ++block) {
        UnitBench bench;
        bench.set<cfg::DEST_ACCESS_CFG_remap_addrs>(bits & 1);
        bench.set<cfg::DEST_ACCESS_CFG_swizzle_32b>(bits >> 1);
        bench.run<op::ZEROACC>({{"clear_mode", 1}, {"where", block}, {"use_32_bit_mode", wide}});
        EXPECT_EQ(cleared_in_view(bench, wide), (Cleared{block * 16, block * 16 + 15, 16}))
            << "bits " << bits << " wide " << wide;
      }
}

TEST(FpuMoves, zeroacc_of_one_row_clears_the_row_that_others_address) {
  UnitBench bench;
  bench.set<cfg::DEST_ACCESS_CFG_remap_addrs>(1);
  bench.run<op::ZEROACC>({{"clear_mode", 0}, {"where", 21}});
  EXPECT_EQ(cleared_in_view(bench, false), (Cleared{21, 21, 1}));
}

// tenstorrent/tt-metal#54295, measured on a P150B.
TEST(FpuMoves, zeroacc_takes_its_half_from_the_sum_of_row_and_block_number) {
  EXPECT_EQ(after_zeroacc(0, 31, 480).first, 31u * 16);
  EXPECT_EQ(after_zeroacc(0, 31, 488).first, 63u * 16);
  EXPECT_EQ(after_zeroacc(0, 31, 496).first, 63u * 16);
  EXPECT_EQ(after_zeroacc(0, 15, 496).first, 15u * 16);
  EXPECT_EQ(after_zeroacc(0, 16, 496).first, 48u * 16);
}

TEST(FpuMoves, zeroacc_steps_counters_in_its_first_two_modes_only) {
  UnitBench bench;
  bench.set_addr_mod(2, 0, 16);
  for (u32 mode = 0; mode < 4; ++mode)
    bench.run<op::ZEROACC>({{"clear_mode", mode}, {"where", 0xFF}, {"addr_mode", 2}});
  EXPECT_EQ(bench.rwc().dst, 32);
}

TEST(FpuMoves, zerosrc_chooses_banks) {
  UnitBench bench;
  auto fill = [&] {
    for (auto& bank : bench.fpu().src_b.bank)
      for (SrcRow& row : bank) row.datum.fill(1u << 13);
  };
  auto is_zero = [&](u32 bank) { return bench.fpu().src_b.bank[bank][63].datum[15] == 0; };
  bench.fpu().src_b.matrix_bank = 1;
  fill();
  bench.run<op::ZEROSRC>({{"src_mask", 2}, {"write_mode", 1}});
  EXPECT_TRUE(!is_zero(0) && is_zero(1));
  fill();
  bench.run<op::ZEROSRC>({{"src_mask", 2}});
  EXPECT_TRUE(is_zero(0) && !is_zero(1));
  fill();
  bench.run<op::ZEROSRC>({{"src_mask", 2}, {"bank_mask", 1}});
  EXPECT_TRUE(is_zero(0) && is_zero(1));
}

TEST(FpuMoves, shifts_of_source_rows) {
  UnitBench bench;
  bench.set_source_formats(kBf16, kBf16);
  for (u32 j = 0; j < 16; ++j) {
    b_row(bench, 5).datum[j] = (j + 1) << 23;
    a_row(bench, 33).datum[j] = (j + 1) << 23;
  }
  bench.run<op::SHIFTXB>({{"shift_row", 5}});
  EXPECT_EQ(b_row(bench, 5).datum[0], 2u << 23);
  EXPECT_EQ(b_row(bench, 5).datum[15], 1u << 23);
  bench.run<op::SHIFTXB>({{"shift_row", 5}, {"rot_shift", 1}});
  EXPECT_EQ(b_row(bench, 5).datum[14], 1u << 23);
  EXPECT_EQ(b_row(bench, 5).datum[15], 0u);
  // SHIFTXA reads the block that an earlier instruction used.
  bench.rwc().src_a = 32;
  bench.run<op::MOVA2D>();
  bench.rwc().src_a = 0;
  bench.run<op::SHIFTXA>({{"shift_mode", 2}});
  EXPECT_EQ(a_row(bench, 1).datum[0], 0u);
  EXPECT_EQ(a_row(bench, 1).datum[15], 15u << 23);
  bench.run<op::SHIFTXA>({{"shift_mode", 3}});
  EXPECT_EQ(a_row(bench, 1).datum[15], 0u);
  EXPECT_EQ(a_row(bench, 1).datum[0], 2u << 23);
}

TEST(FpuMoves, dotpv_is_mvmul_and_gapool_is_its_upper_half) {
  auto product = [](auto run) {
    auto bench = std::make_unique<UnitBench>();
    bench->set_source_formats(kBf16, kBf16);
    for (u32 i = 0; i < 16; ++i)
      for (u32 j = 0; j < 16; ++j) {
        a_row(*bench, i).datum[j] = 0x3F800000 + ((i * 16 + j) << 16);
        b_row(*bench, i).datum[j] = 0xBF800000 + ((i * 7 + j) << 17);
      }
    run(*bench);
    return bench;
  };
  const auto mvmul = product([](UnitBench& b) { b.run<op::MVMUL>({{"dst", 16}}); });
  const auto dotpv = product([](UnitBench& b) { b.run<op::DOTPV>({{"dst", 16}}); });
  const auto gapool = product([](UnitBench& b) {
    b.run<op::GAPOOL>({{"dst", 20}, {"instr_mod19", 1}});
  });
  for (u32 i = 0; i < 8; ++i) {
    for (u32 j = 0; j < 16; ++j) {
      EXPECT_NE(mvmul->dst().read16(16 + i, j), 0);
      EXPECT_EQ(mvmul->dst().read16(16 + i, j), dotpv->dst().read16(16 + i, j));
      if (i < 4) {
        EXPECT_EQ(mvmul->dst().read16(16 + i, j), gapool->dst().read16(20 + i, j));
      }
    }
  }
  EXPECT_EQ(gapool->dst().read16(24, 0), 0);
}

TEST(FpuMoves, mvmul_with_row_broadcast_accumulates_rows_0_2_4_6) {
  UnitBench bench;
  bench.set_source_formats(kBf16, kBf16);
  a_row(bench, 0).datum.fill(0x3F800000);
  b_row(bench, 5).datum[0] = 0x40000000;
  bench.rwc().src_b = 5;
  bench.run<op::MVMUL>({{"instr_mod19", 1}});
  for (u32 i = 0; i < 8; ++i)
    EXPECT_EQ(numeric::bf16_from_dst(bench.dst().read16(i, 0)), i % 2 == 0 ? 0x4000 : 0);
  EXPECT_TRUE(bench.faulted(Rule::FpuRowBroadcast));
}

TEST(FpuMoves, elementwise_broadcasts_row_and_column_of_srcb) {
  UnitBench bench;
  bench.set_source_formats(kBf16, kBf16);
  b_row(bench, 3).datum.fill(0x40000000);
  b_row(bench, 3).datum[0] = 0x40400000;
  bench.rwc().src_b = 3;
  bench.run<op::ELWADD>({{"instr_mod19", 2}});
  EXPECT_EQ(numeric::bf16_from_dst(bench.dst().read16(7, 9)), 0x4000);
  bench.run<op::ELWADD>({{"instr_mod19", 3}});
  EXPECT_EQ(numeric::bf16_from_dst(bench.dst().read16(7, 9)), 0x4040);
}

TEST(FpuMoves, formats_come_from_configuration_when_implied_ones_are_disabled) {
  UnitBench bench;
  bench.set_source_formats(kFp16, kFp16);
  bench.set_thread<thread_cfg::DISABLE_IMPLIED_SRCA_FMT_Base>(1);
  bench.set<cfg::ALU_FORMAT_SPEC_REG0_SrcA>(kBf16);
  a_row(bench, 0).datum[0] = 0x3F810000;
  bench.run<op::MOVA2D>();
  EXPECT_EQ(raw(bench, 0), 0x017F);
  bench.set<cfg::ALU_FORMAT_SPEC_REG_SrcA_override>(1);
  bench.set<cfg::ALU_FORMAT_SPEC_REG_SrcA_val>(kTf32);
  bench.run<op::MOVA2D>({{"dst", 16}});
  EXPECT_EQ(bench.dst().read32(16, 0), 0x017F0000u);
}

}  // namespace
}  // namespace bhemu::tensix
