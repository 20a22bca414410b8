// Drawn statements: the matrix unit and its register files (WormholeB0/TensixTile/TensixCoprocessor
// ELW*.md, MVMUL.md, GMPOOL.md, GAPOOL.md, MOV*.md, SHIFTX*.md, SrcASrcB.md, FloatBitPatterns.md;
// BlackholeA0 Dst.md). Expected values are worked out here from the pages alone.
#include <gtest/gtest.h>

#include <bit>

#include "tensix/unit_bench.hpp"

namespace bhemu::tensix {
namespace {

constexpr u32 kFp16 = 1;
constexpr u32 kTf32 = 4;
constexpr u32 kBf16 = 5;
constexpr u32 kInt8 = 14;

u32 bits_of(float value) {
  return std::bit_cast<u32>(value);
}
/// "Integer 8" in a source cell: ten bits of magnitude over a fixed exponent of 16.
u32 int8_cell(i32 value) {
  const u32 magnitude = static_cast<u32>(value < 0 ? -value : value);
  return (value < 0 ? 1u << 31 : 0) | 16u << 23 | magnitude << 13;
}
/// FP16 in a source cell: five bits of exponent in the low end of eight.
u32 fp16_cell(u32 half) {
  return (half >> 15) << 31 | (half >> 10 & 31) << 23 | (half & 0x3FF) << 13;
}
/// Storage order of Dst: sign, mantissa, exponent.
u16 dst_bf16(float value) {
  const u32 x = bits_of(value) >> 16;
  return static_cast<u16>((x & 0x8000) | (x & 0x7F) << 8 | (x >> 7 & 0xFF));
}
u32 dst_fp32(float value) {
  return u32{dst_bf16(value)} << 16 | (bits_of(value) & 0xFFFF);
}
u16 dst_fp16(u32 half) {
  return static_cast<u16>((half & 0x8000) | (half & 0x3FF) << 5 | (half >> 10 & 31));
}
u32 dst_int32(i32 value) {  // sign and magnitude, shuffled as FP32 is
  const u32 m = static_cast<u32>(value < 0 ? -static_cast<i64>(value) : value);
  return (value < 0 ? 1u << 31 : 0) | (m >> 16 & 0x7F) << 24 | (m >> 23 & 0xFF) << 16 |
         (m & 0xFFFF);
}

class Matrix : public UnitBench {
 public:
  explicit Matrix(u32 format) { set_source_formats(format, format); }
  u32& a(u32 row, u32 column) { return fpu().src_a.bank[0][row].datum[column]; }
  u32& b(u32 row, u32 column) { return fpu().src_b.bank[0][row].datum[column]; }
  void fill_a(u32 value) {
    for (SrcRow& row : fpu().src_a.bank[0]) row.datum.fill(value);
  }
  void fill_b(u32 value) {
    for (SrcRow& row : fpu().src_b.bank[0]) row.datum.fill(value);
  }
  /// All of a group that starts with the instruction at hand, valid and zero.
  u16 dst16(u32 row, u32 column = 0) { return dst().read16(row, column); }
  u32 dst32(u32 row, u32 column = 0) { return dst().read32(row, column); }
};

// --- ELWADD, ELWSUB, ELWMUL

TEST(AuditMatrix, elwadd_takes_rows_by_counters_offset_and_base) {
  Matrix m(kBf16);
  for (u32 row = 0; row < 64; ++row) {
    m.a(row, 0) = bits_of(static_cast<float>(row));
    m.b(row, 0) = bits_of(static_cast<float>(64 * (row % 2) + 64 * (row / 8)));
  }
  m.rwc().src_a = 19;  // & 0x38: 16
  m.rwc().src_b = 13;  // & 0x38: 8
  m.rwc().dst = 3;
  m.set_thread<thread_cfg::DEST_TARGET_REG_CFG_MATH_Offset>(16);
  m.set<cfg::DEST_REGW_BASE_Base>(8);
  m.run<op::ELWADD>({{"dst", 34}});  // 34 + 16 + 3 + 8 = 61, & 0x3F8: 56
  for (u32 i = 0; i < 8; ++i)
    EXPECT_EQ(m.dst16(56 + i), dst_bf16(static_cast<float>(16 + i + 64 * (i % 2) + 64)));
  m.run<op::ELWADD>({{"dst", 34}, {"instr_mod19", 2}});  // row 13 of SrcB itself, broadcast
  for (u32 i = 0; i < 8; ++i)
    EXPECT_EQ(m.dst16(56 + i), dst_bf16(static_cast<float>(16 + i + 128)));
}

TEST(AuditMatrix, elwmul_ignores_the_two_highest_bits_of_srca_magnitudes) {  // ELWMUL.md, note
  for (u32 phase = 0; phase < 4; ++phase) {
    i32 sums[2];
    for (const bool high : {false, true}) {
      Matrix m(kInt8);
      m.set<cfg::ALU_ACC_CTRL_INT8_math_enabled>(1);
      m.rwc().fidelity = static_cast<u8>(phase);
      m.a(0, 0) = int8_cell(0xA5 | (high ? 0x300 : 0));
      m.b(0, 0) = int8_cell(0x3C7);
      m.run<op::ELWMUL>();
      sums[high] = static_cast<i32>(m.dst32(0));
    }
    EXPECT_EQ(sums[0], sums[1]) << phase;
  }
}

TEST(AuditMatrix, elwmul_accumulates_fp32_fp16_or_bf16) {  // ELWMUL.md, functional model
  Matrix wide(kBf16);
  wide.set<cfg::ALU_ACC_CTRL_Fp32_enabled>(1);
  wide.a(0, 0) = bits_of(1.5f);
  wide.b(0, 0) = bits_of(3.0f);
  wide.dst().write32(0, 0, dst_fp32(1.0f / 1024));
  wide.run<op::ELWMUL>();
  EXPECT_EQ(wide.dst32(0), dst_fp32(4.5f + 1.0f / 1024));

  Matrix half(kFp16);
  half.a(0, 0) = fp16_cell(0x3E00);            // 1.5
  half.b(0, 0) = fp16_cell(0x4200);            // 3
  half.dst().write16(0, 0, dst_fp16(0x3800));  // 0.5
  half.run<op::ELWMUL>();
  EXPECT_EQ(half.dst16(0), dst_fp16(0x4500)) << "5";
}

TEST(AuditMatrix, clear_bits_flip_the_banks_and_disable_keeps_ownership) {  // ELWMUL, GMPOOL
  for (const u32 clear : {0u, 1u, 2u, 3u}) {
    for (const u32 keep : {0u, 1u}) {
      for (const bool pool : {false, true}) {
        Matrix m(kBf16);
        m.set_thread<thread_cfg::CLR_DVALID_SrcA_Disable>(keep);
        m.set_thread<thread_cfg::CLR_DVALID_SrcB_Disable>(keep);
        if (pool)
          m.run<op::GMPOOL>({{"clear_dvalid", clear}, {"instr_mod19", 1}});
        else
          m.run<op::ELWMUL>({{"clear_dvalid", clear}});
        EXPECT_EQ(m.fpu().src_a.matrix_bank, clear & 1);
        EXPECT_EQ(m.fpu().src_b.matrix_bank, clear >> 1);
        EXPECT_EQ(m.fpu().src_a.owner[0] == SrcOwner::Unpacker, (clear & 1) != 0 && keep == 0);
        EXPECT_EQ(m.fpu().src_b.owner[0] == SrcOwner::Unpacker, (clear & 2) != 0 && keep == 0);
      }
    }
  }
}

TEST(AuditMatrix, elwsub_of_integers_saturates) {  // ELWSUB.md, table and note
  Matrix m(kInt8);
  m.set<cfg::ALU_ACC_CTRL_INT8_math_enabled>(1);
  m.a(0, 0) = int8_cell(-100);
  m.b(0, 0) = int8_cell(27);
  m.run<op::ELWSUB>();
  EXPECT_EQ(m.dst32(0), dst_int32(-127));
  m.dst().write32(0, 0, dst_int32(-0x7FFFFF80));
  m.run<op::ELWSUB>({{"dest_accum_en", 1}});
  EXPECT_EQ(m.dst32(0), dst_int32(-0x7FFFFFFF)) << "clamped at -(2^31 - 1)";
}

// --- MVMUL, GAPOOL, fidelity phases

TEST(AuditMatrix, integer_products_need_the_phases_that_the_table_names) {  // SrcASrcB.md
  const auto product = [](i32 a, i32 b, std::initializer_list<u32> phases) {
    Matrix m(kInt8);
    m.set<cfg::ALU_ACC_CTRL_INT8_math_enabled>(1);
    m.a(0, 0) = int8_cell(a);
    m.b(0, 0) = int8_cell(b);
    for (const u32 phase : phases) {
      m.rwc().fidelity = static_cast<u8>(phase);
      m.run<op::ELWMUL>();
    }
    return m.dst32(0);
  };
  EXPECT_EQ(product(31, -15, {3}), dst_int32(-31 * 15));
  EXPECT_EQ(product(31, 1023, {1, 3}), dst_int32(31 * 1023));
  EXPECT_EQ(product(255, 15, {2, 3}), dst_int32(255 * 15));
  EXPECT_EQ(product(-255, 1023, {0, 1, 2, 3}), dst_int32(-255 * 1023));
  // Phase 0: the next three bits of SrcA by the remaining six of SrcB.
  EXPECT_EQ(product(0xFF, 0x3FF, {0}), dst_int32(0xE0 * 0x3F0));
}

TEST(AuditMatrix, mvmul_of_integers_is_exact_up_to_255) {  // MVMUL.md: -255 to +255
  Matrix m(kInt8);
  m.set<cfg::ALU_ACC_CTRL_INT8_math_enabled>(1);
  m.fill_a(int8_cell(-255));
  m.fill_b(int8_cell(255));
  for (u32 phase = 0; phase < 4; ++phase) {
    m.rwc().fidelity = static_cast<u8>(phase);
    m.run<op::MVMUL>();
  }
  EXPECT_EQ(m.dst32(0), dst_int32(-255 * 255 * 16));
}

TEST(AuditMatrix, phase_0_of_fp16_uses_four_bits_of_srca_and_six_of_srcb) {  // SrcASrcB.md
  Matrix m(kFp16);
  m.set<cfg::ALU_ACC_CTRL_Fp32_enabled>(1);
  m.a(0, 0) = fp16_cell(0x3FFF);
  m.b(0, 0) = fp16_cell(0x3FFF);
  m.run<op::ELWMUL>();
  EXPECT_EQ(m.dst32(0), dst_fp32((1 + 15.0f / 16) * (1 + 63.0f / 64)));
}

TEST(AuditMatrix, narrow_formats_need_phase_0_only) {  // SrcASrcB.md: FP8, BFP4, BFP2
  Matrix m(kFp16);
  m.set<cfg::ALU_ACC_CTRL_Fp32_enabled>(1);
  m.a(0, 0) = fp16_cell(0x3F00);  // 1.75: FP8's mantissa
  m.b(0, 0) = fp16_cell(0x3F00);
  m.run<op::ELWMUL>();
  EXPECT_EQ(m.dst32(0), dst_fp32(1.75f * 1.75f));
}

TEST(AuditMatrix, styles_of_mvmul_follow_the_srca_format) {  // MVMUL.md, functional model
  for (const u32 format : {0u, 5u, 6u, 7u, 15u}) {  // FP32, BF16, BFP8, BFP4, BFP2: as BF16
    Matrix m(format);
    m.a(0, 0) = bits_of(1.5f);
    m.b(0, 0) = bits_of(2.0f);
    m.run<op::MVMUL>();
    EXPECT_EQ(m.dst16(0), dst_bf16(3.0f)) << format;
  }
  for (const u32 format : {1u, 10u, 2u, 3u, 11u}) {  // FP16, FP8, BFP8a, BFP4a, BFP2a: as FP16
    Matrix m(format);
    m.a(0, 0) = fp16_cell(0x3E00);
    m.b(0, 0) = fp16_cell(0x4000);
    m.run<op::MVMUL>();
    EXPECT_EQ(m.dst16(0), dst_fp16(0x4200)) << format;
  }
}

TEST(AuditMatrix, denormal_sources_count_as_zero) {  // MVMUL.md
  Matrix m(kBf16);
  m.set<cfg::ALU_ACC_CTRL_Fp32_enabled>(1);
  m.a(0, 0) = 0x007F0000;
  m.b(0, 0) = bits_of(0x1p127f);
  m.run<op::MVMUL>();
  EXPECT_EQ(m.dst32(0), 0u);
}

TEST(AuditMatrix, gapool_is_mvmul_of_four_rows) {  // GAPOOL.md
  Matrix m(kBf16);
  for (u32 row = 0; row < 64; ++row)
    for (u32 column = 0; column < 16; ++column) {
      m.a(row, column) = bits_of(static_cast<float>(row % 4 + 1));
      m.b(row, column) = bits_of(row < 4 && column == row ? 1.0f : 0.0f);
    }
  m.run<op::GAPOOL>({{"instr_mod19", 1}});
  for (u32 row = 0; row < 4; ++row) EXPECT_EQ(m.dst16(row), dst_bf16(static_cast<float>(row + 1)));
  for (u32 row = 4; row < 8; ++row) EXPECT_EQ(m.dst16(row), 0u);
}

// --- GMPOOL

TEST(AuditMatrix, gmpool_gives_the_largest_of_sixteen_rows) {  // GMPOOL.md, functional model
  Matrix m(kBf16);
  m.fill_b(bits_of(1.0f));
  for (u32 row = 0; row < 16; ++row)
    for (u32 column = 0; column < 16; ++column)
      m.a(row, column) = bits_of(column == 15 ? -1.0f - static_cast<float>(row)
                                              : static_cast<float>((row * 7 + column) % 16));
  m.dst().write16(0, 3, dst_bf16(20.0f));
  m.dst().write16(0, 15, dst_bf16(-100.0f));
  m.run<op::GMPOOL>({{"instr_mod19", 1}});
  EXPECT_EQ(m.dst16(0, 0), dst_bf16(15.0f));
  EXPECT_EQ(m.dst16(0, 3), dst_bf16(20.0f));
  EXPECT_EQ(m.dst16(0, 15), dst_bf16(-1.0f)) << "AsComparable orders negative numbers";
  for (u32 row = 1; row < 4; ++row) EXPECT_EQ(m.dst16(row, 0), 0u);
}

TEST(AuditMatrix, gmpool_returns_a_transformed_index_with_the_value) {  // GMPOOL.md
  constexpr u32 kTransform[] = {0, 3, 6, 1, 4, 7, 2, 5};
  for (u32 winner = 0; winner < 8; ++winner) {
    Matrix m(kBf16);
    m.set<cfg::ALU_ACC_CTRL_Fp32_enabled>(1);
    m.fill_b(bits_of(1.0f));
    m.a(winner, 0) = bits_of(2.0f);
    m.run<op::GMPOOL>({{"instr_mod19", 1}, {"max_pool_index_en", 1}});
    // Phase 1 (what was in Dst, plus 0x100) in bits 11:8, and in the index's high nibble.
    EXPECT_EQ(m.dst32(0), u32{dst_bf16(2.0f)} << 16 | 0x100 | 0x10 | kTransform[winner]);
  }
}

// --- Moves

TEST(AuditMatrix, movb2a_moves_one_row_or_four_and_flushes_denormals) {  // MOVB2A.md
  for (const bool keep : {false, true}) {
    for (const bool four : {false, true}) {
      Matrix m(kBf16);
      m.set<cfg::ALU_ACC_CTRL_Zero_Flag_disabled_src>(keep);
      for (u32 row = 0; row < 64; ++row) m.b(row, 3) = row << 16;  // denormal BF16
      m.b(13, 4) = bits_of(2.0f);
      m.rwc().src_b = 8;
      m.rwc().src_a = 4;
      m.run<op::MOVB2A>({{"srcb", 5}, {"srca", 17}, {"instr_mod", four ? 2u : 0u}});
      EXPECT_EQ(m.a(21, 4), bits_of(2.0f));
      EXPECT_EQ(m.a(21, 3), keep ? 13u << 16 : 0u);
      EXPECT_EQ(m.a(22, 3), keep && four ? 14u << 16 : 0u);
    }
  }
}

TEST(AuditMatrix, movb2d_forms_row_numbers_per_mode) {  // MOVB2D.md, functional model
  struct Mode {
    u32 mod, first, rows, source, step;
  };
  for (const Mode& mode : {Mode{0, 45, 1, 27, 0}, Mode{4, 44, 4, 24, 1}, Mode{2, 40, 8, 27, 0}}) {
    Matrix m(kBf16);
    for (u32 row = 0; row < 64; ++row) m.b(row, 0) = bits_of(static_cast<float>(row));
    m.rwc().src_b = 7;
    m.rwc().dst = 5;
    m.set_thread<thread_cfg::DEST_TARGET_REG_CFG_MATH_Offset>(8);
    m.set<cfg::DEST_REGW_BASE_Base>(16);
    m.run<op::MOVB2D>({{"src", 20}, {"dst", 16}, {"movb2d_instr_mod", mode.mod}});
    for (u32 row = 32; row < 56; ++row) {
      const bool inside = row >= mode.first && row < mode.first + mode.rows;
      const u32 source = mode.source + mode.step * (row - mode.first);
      EXPECT_EQ(m.dst16(row), inside ? dst_bf16(static_cast<float>(source)) : 0)
          << mode.mod << " row " << row;
    }
  }
}

TEST(AuditMatrix,
     movb2d_of_tf32_to_the_low_half_is_refused) {  // MOVB2D.md: "unlikely to be useful"
  Matrix m(kTf32);
  m.b(0, 0) = 0x3F81E000;
  m.run<op::MOVB2D>({{"dest_32b_lo", 1}});
  EXPECT_TRUE(m.faulted(Rule::TensixUndefined));
}

TEST(AuditMatrix, movd2a_of_32_bits_converts_to_the_srca_format) {  // MOVD2A.md, MOVD2B.md
  const auto moved = [](u32 format, bool b) {
    Matrix m(format);
    m.set<cfg::ALU_ACC_CTRL_Fp32_enabled>(1);
    m.dst().write32(0, 0, dst_fp32(std::bit_cast<float>(0x3F81FFFFu)));
    if (b) {
      m.run<op::MOVD2B>();
      return m.b(0, 0);
    }
    m.run<op::MOVD2A>();
    return m.a(0, 0);
  };
  for (const bool b : {false, true}) {
    EXPECT_EQ(moved(kTf32, b), 0x3F81E000u) << "mantissa of ten bits, truncated";
    EXPECT_EQ(moved(kBf16, b), 0x3F810000u);
  }
  Matrix half(kFp16);  // two FP16 packed into 32 bits: the high one is read as FP16
  half.set<cfg::ALU_ACC_CTRL_Fp32_enabled>(1);
  half.dst().write32(0, 0, u32{dst_fp16(0x3E01)} << 16);
  half.run<op::MOVD2A>();
  EXPECT_EQ(half.a(0, 0), fp16_cell(0x3E01));
}

TEST(AuditMatrix, shiftxb_shifts_or_rotates_one_row_to_the_left) {  // SHIFTXB.md
  for (const bool rotate : {false, true}) {
    Matrix m(kBf16);
    for (u32 column = 0; column < 16; ++column) m.b(9, column) = (column + 1) << 23;
    m.rwc().src_b = 4;
    m.run<op::SHIFTXB>({{"shift_row", 5}, {"rot_shift", rotate ? 0u : 1u}});
    for (u32 column = 0; column < 15; ++column) EXPECT_EQ(m.b(9, column), (column + 2) << 23);
    EXPECT_EQ(m.b(9, 15), rotate ? 1u << 23 : 0u);
  }
}

TEST(AuditMatrix, shiftxa_shifts_sixteen_rows_by_one_lane) {  // SHIFTXA.md, with its bug
  for (const u32 direction : {2u, 3u}) {
    Matrix m(kBf16);
    for (u32 row = 0; row < 64; ++row)
      for (u32 column = 0; column < 16; ++column) m.a(row, column) = (row * 16 + column + 1) << 13;
    m.rwc().src_a = 33;
    m.run<op::MOVA2D>();  // leaves its SrcA row, 33, behind: rows 32 to 47 are the input
    m.run<op::SHIFTXA>({{"shift_mode", direction}});
    for (u32 row = 0; row < 16; ++row)
      for (u32 column = 0; column < 16; ++column) {
        const u32 from = direction == 2 ? column - 1 : column + 1;
        const u32 value = from < 16 ? ((32 + row) * 16 + from + 1) << 13 : 0;
        ASSERT_EQ(m.a(row, column), value) << direction << " " << row << " " << column;
      }
  }
}

TEST(AuditMatrix, address_modes_move_the_counters) {  // RWCs.md: AddrMod of other instructions
  Matrix m(kBf16);
  m.set_addr_mod(1, 8u | 16u << 8, 8u | 1u << 13);
  m.run<op::ELWMUL>({{"addr_mode", 1}});
  EXPECT_EQ(m.rwc().src_a, 8u);
  EXPECT_EQ(m.rwc().src_b, 16u);
  EXPECT_EQ(m.rwc().dst, 8u);
  EXPECT_EQ(m.rwc().fidelity, 1u);
}

// --- Bit patterns

TEST(AuditMatrix, negative_zero_and_denormal_fp32_count_as_zero) {  // FloatBitPatterns.md, FP32
  for (const u32 pattern : {0x00000000u, 0x80000000u, 0x80000001u, 0x807FFFFFu}) {
    Matrix m(kBf16);
    m.set<cfg::ALU_ACC_CTRL_Fp32_enabled>(1);
    m.a(0, 0) = bits_of(1.0f);
    m.b(0, 0) = bits_of(2.0f);
    m.dst().write32(0, 0, dst_fp32(std::bit_cast<float>(pattern)));
    m.run<op::ELWMUL>();
    EXPECT_EQ(m.dst32(0), dst_fp32(2.0f)) << pattern;
  }
}

TEST(AuditMatrix, bf16_of_exponent_255_is_a_number_to_the_matrix_unit) {  // FloatBitPatterns, BF16
  Matrix m(kBf16);  // +NaN: (1 + Mant/2^7) * 2^128
  m.set<cfg::ALU_ACC_CTRL_Fp32_enabled>(1);
  m.a(0, 0) = 0x7FC00000;
  m.b(0, 0) = bits_of(0.5f);
  m.run<op::ELWMUL>();
  EXPECT_EQ(m.dst32(0), dst_fp32(0x1.8p127f));
  Matrix n(kBf16);  // -Infinity: -(1 + 0) * 2^128
  n.set<cfg::ALU_ACC_CTRL_Fp32_enabled>(1);
  n.a(0, 0) = 0xFF800000;
  n.b(0, 0) = bits_of(0.5f);
  n.run<op::ELWMUL>();
  EXPECT_EQ(n.dst32(0), dst_fp32(-0x1p127f));
}

TEST(AuditMatrix, fp16_zero_is_a_number_to_sfploadi) {  // FloatBitPatterns.md, FP16, Exp 0
  Matrix m(kFp16);
  m.run<op::SFPLOADI>({{"lreg_ind", 1}, {"instr_mod0", 1}, {"imm16", 0x0000}});
  EXPECT_EQ(m.sfpu().lreg[1][0], bits_of(0x1p-15f));
  m.dst().write16(0, 0, 0);
  m.run<op::SFPLOAD>({{"lreg_ind", 2}, {"instr_mod0", 1}});
  EXPECT_EQ(m.sfpu().lreg[2][0], 0u);
  m.a(0, 0) = fp16_cell(0);
  m.b(0, 0) = fp16_cell(0x3C00);
  m.run<op::ELWMUL>();
  EXPECT_EQ(m.dst16(0), 0u);
}

TEST(AuditMatrix, the_largest_fp16_pattern_can_be_read_as_infinity) {  // FloatBitPatterns, note
  Matrix m(kFp16);
  m.dst().write16(0, 0, 0x7FFF);
  m.run<op::SFPLOAD>({{"lreg_ind", 2}, {"instr_mod0", 1}});
  EXPECT_EQ(m.sfpu().lreg[2][0], bits_of(131008.0f));
  m.run<op::SFPCONFIG>({{"config_dest", 15}, {"instr_mod1", 1}, {"imm16_math", 1}});
  m.run<op::SFPLOAD>({{"lreg_ind", 2}, {"instr_mod0", 1}});
  EXPECT_EQ(m.sfpu().lreg[2][0], 0x7F800000u);
  // The matrix unit gives this pattern for what is too large.
  m.a(0, 0) = fp16_cell(0x7BFF);
  m.b(0, 0) = fp16_cell(0x7BFF);
  m.run<op::ELWMUL>({{"dst", 8}});
  EXPECT_EQ(m.dst16(8), 0x7FFFu);
}

TEST(AuditMatrix, tf32_denormals_are_zero_as_inputs) {  // FloatBitPatterns.md, TF32, note
  Matrix m(kTf32);
  m.set<cfg::ALU_ACC_CTRL_Fp32_enabled>(1);
  m.a(0, 0) = 0x807FE000;
  m.b(0, 0) = bits_of(0x1p127f);
  m.run<op::ELWMUL>();
  EXPECT_EQ(m.dst32(0), 0u);
}

}  // namespace
}  // namespace bhemu::tensix
