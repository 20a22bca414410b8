// Drawn statements: the vector unit (BlackholeA0/TensixTile/TensixCoprocessor/SFP*.md, LReg.md,
// VectorUnit.md). Expected values are worked out here from the pages alone.
#include <gtest/gtest.h>

#include <bit>

#include "tensix/unit_bench.hpp"

namespace bhemu::tensix {
namespace {

constexpr u32 kAll = 0xFFFFFFFF;
constexpr u32 kOne = 0x3F800000;

u32 bits_of(float value) {
  return std::bit_cast<u32>(value);
}

/// One lane's worth of an instruction: LReg contents in, LReg out.
class Lane : public UnitBench {
 public:
  void put(u32 reg, u32 value) { sfpu().lreg[reg].lane.fill(value); }
  u32 get(u32 reg, u32 lane = 0) { return sfpu().lreg[reg][lane]; }
  void set_lane_config(u32 value) {
    run<op::SFPCONFIG>({{"config_dest", 15}, {"instr_mod1", 1}, {"imm16_math", value}});
  }
  /// All lanes predicated, with `flags` as their lane flags.
  void predicate(u32 flags) { sfpu().condition = {kAll, flags}; }
};

template <class Op>
u32 unary(u32 value, u32 mod, u32 imm = 0) {
  Lane lane;
  lane.put(1, value);
  lane.run<Op>({{"lreg_c", 1}, {"lreg_dest", 2}, {"instr_mod1", mod}, {"imm12_math", imm}});
  return lane.get(2);
}

TEST(AuditVector, abs_of_a_float_clears_the_sign_unless_it_is_nan) {  // SFPABS, functional model
  EXPECT_EQ(unary<op::SFPABS>(0xBF800000, 1), kOne);
  EXPECT_EQ(unary<op::SFPABS>(0x80000000, 1), 0u);
  EXPECT_EQ(unary<op::SFPABS>(0xFF800000, 1), 0x7F800000u);
  EXPECT_EQ(unary<op::SFPABS>(0xFF800001, 1), 0xFF800001u);
}

TEST(AuditVector, and_is_lanewise) {  // SFPAND, summary
  Lane lane;
  for (u32 i = 0; i < kLanes; ++i) {
    lane.sfpu().lreg[1][i] = 0xF0F00000 + i;
    lane.sfpu().lreg[2][i] = 0xFF00FF0F;
  }
  lane.run<op::SFPAND>({{"lreg_c", 1}, {"lreg_dest", 2}});
  for (u32 i = 0; i < kLanes; ++i) EXPECT_EQ(lane.get(2, i), (0xF0F00000 + i) & 0xFF00FF0F);
}

TEST(AuditVector, reciprocal_and_exponential_are_approximate) {  // SFPARECIP, functional model
  EXPECT_EQ(unary<op::SFPARECIP>(bits_of(1.0f), 0), 126u << 23 | 127u << 16);
  EXPECT_EQ(unary<op::SFPARECIP>(bits_of(-2.0f), 0), 1u << 31 | 125u << 23 | 127u << 16);
  EXPECT_EQ(unary<op::SFPARECIP>(0x3F810000, 0), 126u << 23 | 125u << 16);
  EXPECT_EQ(unary<op::SFPARECIP>(0x3FFF0000, 0), 126u << 23);
  EXPECT_EQ(unary<op::SFPARECIP>(0x007FFFFF, 0), 0x7F800000u);
  EXPECT_EQ(unary<op::SFPARECIP>(0x7E800000, 0), 0u);
  EXPECT_EQ(unary<op::SFPARECIP>(0x00000001, 2), kOne);
  EXPECT_EQ(unary<op::SFPARECIP>(0x3C7F1234, 2), 0x3F811234u);
}

TEST(AuditVector, exponential_uses_the_documented_table) {  // SFPARECIP, ApproxExp's LUT
  // (index, entry) pairs of the 896 entries; the table restarts at 0 at index 690.
  constexpr u32 kEntries[][2] = {{0, 2},   {61, 2},   {62, 3},    {98, 3},   {128, 4},
                                 {178, 5}, {400, 19}, {500, 34},  {600, 67}, {689, 127},
                                 {690, 0}, {691, 0},  {692, 1},   {693, 1},  {704, 7},
                                 {705, 8}, {800, 95}, {894, 232}, {895, 234}};
  for (const auto& [index, entry] : kEntries) {
    const u32 x = (0x3C80 + index) << 16 | 0x4321;
    const u32 base = x < 0x3F320000 ? 0x3F800000 : 0x40000000;
    EXPECT_EQ(unary<op::SFPARECIP>(x, 2), (base | entry << 16 | 0x4321)) << index;
  }
  EXPECT_EQ(unary<op::SFPARECIP>(0x4F000007, 2), 0x40800007u);
}

TEST(AuditVector, casts_of_integers) {  // SFPCAST_IntAbs, SFPCAST_IntInt
  const auto cast = [](u32 value, u32 mod) {
    Lane lane;
    lane.put(1, value);
    lane.run<op::SFPCAST>({{"lreg_src_c", 1}, {"lreg_dest", 2}, {"instr_mod1", mod}});
    return lane.get(2);
  };
  EXPECT_EQ(cast(static_cast<u32>(-5), 2), 5u);
  EXPECT_EQ(cast(0x80000000, 2), 0x80000000u);
  EXPECT_EQ(cast(0x80000000, 3), 0x80000000u) << "-2^31 becomes -0";
  EXPECT_EQ(cast(static_cast<u32>(-5), 3), 0x80000005u);
  EXPECT_EQ(cast(0x80000000, 7), 0x80000000u) << "the mode is Mod1 & 3";
  EXPECT_EQ(cast(77, 3), 77u);
}

TEST(AuditVector, config_writes_instruction_templates_from_lreg0) {  // SFPCONFIG, VD 0 to 3
  Lane lane;
  for (u32 i = 0; i < kLanes; ++i) lane.sfpu().lreg[0][i] = 0x84000000 + i;
  for (const u32 mod : {0u, 1u}) {  // IMM16_IS_VALUE is ignored
    lane.run<op::SFPCONFIG>({{"config_dest", 2}, {"instr_mod1", mod}, {"imm16_math", 0x1234}});
    lane.run<op::SFPMOV>({{"lreg_c", 2}, {"lreg_dest", 3}, {"instr_mod1", 8}});
    for (u32 i = 0; i < kLanes; ++i) EXPECT_EQ(lane.get(3, i), 0x84000000 + i % 8);
  }
}

TEST(AuditVector, exman_sets_the_hidden_bit_on_request) {  // SFPEXMAN
  EXPECT_EQ(unary<op::SFPEXMAN>(0xFFC12345, 0), 0x00C12345u);
  EXPECT_EQ(unary<op::SFPEXMAN>(0xFFC12345, 1), 0x00412345u);
}

/// -NaN < -Inf < -1 < -0 < +0 < 1 < Inf < NaN: the order of SFPGT, SFPLE and SFPSWAP.
constexpr u32 kOrder[] = {0xFFFFFFFF, 0xFF800000, 0xBF800000, 0x80000001, 0x80000000,
                          0x00000000, 0x00000001, 0x3F800000, 0x7F800000, 0x7FFFFFFF};

TEST(AuditVector, comparisons_use_the_total_order) {  // SFPGT, SFPLE: SignMagIsSmaller
  for (u32 i = 0; i < std::size(kOrder); ++i) {
    for (u32 j = 0; j < std::size(kOrder); ++j) {
      Lane lane;
      lane.put(1, kOrder[i]);  // VC
      lane.put(2, kOrder[j]);  // VD
      lane.run<op::SFPGT>({{"lreg_c", 1}, {"lreg_dest", 2}, {"instr_mod1", 8}});
      EXPECT_EQ(lane.get(2), i < j ? kAll : 0u) << i << " " << j;
      lane.put(2, kOrder[j]);
      lane.run<op::SFPLE>({{"lreg_c", 1}, {"lreg_dest", 2}, {"instr_mod1", 8}});
      EXPECT_EQ(lane.get(2), j <= i ? kAll : 0u) << i << " " << j;
    }
  }
}

TEST(AuditVector, gt_and_le_set_lane_flags) {  // VectorUnit: per-lane flags based on VD <= VC
  Lane lane;
  lane.predicate(kAll);
  for (u32 i = 0; i < kLanes; ++i) lane.sfpu().lreg[1][i] = i;
  lane.put(2, 16);
  lane.run<op::SFPLE>({{"lreg_c", 1}, {"lreg_dest", 2}, {"instr_mod1", 1}});
  EXPECT_EQ(lane.sfpu().condition.lane_flags, 0xFFFF0000u);
}

TEST(AuditVector, load_of_low_halves_keeps_the_high_ones) {  // SFPLOAD, MOD0_FMT_LO16_ONLY
  Lane lane;
  lane.put(3, 0xABCD0000);
  lane.dst().write16(0, 0, 0x1234);
  lane.run<op::SFPLOAD>({{"lreg_ind", 3}, {"instr_mod0", 14}});
  EXPECT_EQ(lane.get(3), 0xABCD1234u);
}

TEST(AuditVector, load_and_store_apply_the_partial_address_mode) {  // SFPLOAD, ApplyPartialAddrMod
  Lane lane;
  lane.set_addr_mod(2, 3u | 5u << 8, 8u | 1u << 13);  // SrcA += 3, SrcB += 5, Dst += 8, fidelity
  lane.run<op::SFPLOAD>({{"instr_mod0", 4}, {"sfpu_addr_mode", 2}});
  EXPECT_EQ(lane.rwc().dst, 8u);
  EXPECT_EQ(lane.rwc().src_a, 3u);
  EXPECT_EQ(lane.rwc().src_b, 5u);
  EXPECT_EQ(lane.rwc().fidelity, 0u) << "fidelity is left alone";
}

TEST(AuditVector, loadi_lower_keeps_the_high_half) {  // SFPLOADI_MOD0_LOWER
  Lane lane;
  lane.put(4, 0xAAAA5555);
  lane.run<op::SFPLOADI>({{"lreg_ind", 4}, {"instr_mod0", 10}, {"imm16", 0x1234}});
  EXPECT_EQ(lane.get(4), 0xAAAA1234u);
}

TEST(AuditVector, lut_coefficients_of_eight_bits) {  // SFPLUT, Lut8ToFp32
  const auto coefficient = [](u32 x) {               // multiplied by 0 and added
    Lane lane;
    lane.put(0, 0xFF00 | x);
    lane.put(3, bits_of(0.5f));
    lane.run<op::SFPLUT>({{"lreg_ind", 5}});
    return std::bit_cast<float>(lane.get(5));
  };
  for (u32 mantissa = 0; mantissa < 16; ++mantissa) {
    const float expected = (1.0f + static_cast<float>(mantissa) / 16.0f) / 8.0f;
    EXPECT_EQ(coefficient(3u << 4 | mantissa), expected);  // exponent bits 0b011
    EXPECT_EQ(coefficient(0x80 | 3u << 4 | mantissa), -expected);
  }
  EXPECT_EQ(coefficient(0xFF), 0.0f);
  EXPECT_EQ(coefficient(0x7F), (1.0f + 15.0f / 16.0f) / 128.0f);
}

TEST(AuditVector, lutfp32_three_entries_of_fp32) {  // SFPLUTFP32, FP32_3ENTRY_TABLE
  Lane lane;
  lane.put(0, bits_of(2.0f));
  lane.put(4, bits_of(0.25f));
  lane.put(3, bits_of(-0.5f));
  lane.run<op::SFPLUTFP32>({{"lreg_dest", 7}});
  EXPECT_EQ(std::bit_cast<float>(lane.get(7)), 1.25f);
}

TEST(AuditVector, lutfp32_six_entries_split_at_three_or_four) {  // SFPLUTFP32, 6ENTRY_TABLE1 and 2
  const auto lut = [](u32 mod, float x) {
    Lane lane;
    const u32 half[4] = {0x3C00, 0x4000, 0x4200, 0x4400};  // 1, 2, 3, 4 as FP16
    lane.put(0, half[1] << 16 | half[0]);
    lane.put(4, half[2] << 16 | half[3]);
    lane.put(2, half[2] << 16 | half[1]);
    lane.put(6, half[3] << 16 | half[0]);
    lane.put(3, bits_of(x));
    lane.run<op::SFPLUTFP32>({{"lreg_dest", 7}, {"instr_mod1", mod}});
    return std::bit_cast<float>(lane.get(7));
  };
  EXPECT_EQ(lut(2, 0.75f), 2.0f * 0.75f + 3.0f);  // 0.5 <= x < 1: high halves of LReg 0 and 4
  EXPECT_EQ(lut(2, 3.5f), 3.0f * 3.5f + 4.0f);    // table 1 splits at 3
  EXPECT_EQ(lut(3, 3.5f), 2.0f * 3.5f + 1.0f);    // table 2 at 4
  EXPECT_EQ(lut(3, 4.0f), 3.0f * 4.0f + 4.0f);
}

TEST(AuditVector, mad_negates_flushes_and_rounds_once) {  // SFPMAD
  const auto mad = [](u32 a, u32 b, u32 c, u32 mod) {
    Lane lane;
    lane.put(1, a);
    lane.put(2, b);
    lane.put(3, c);
    lane.run<op::SFPMAD>({{"lreg_src_a", 1},
                          {"lreg_src_b", 2},
                          {"lreg_src_c", 3},
                          {"lreg_dest", 4},
                          {"instr_mod1", mod}});
    return lane.get(4);
  };
  EXPECT_EQ(mad(bits_of(2), bits_of(3), bits_of(1), 1), bits_of(-5));  // NEGATE_VA: -(2*3)+1
  EXPECT_EQ(mad(bits_of(2), bits_of(3), bits_of(1), 2), bits_of(5));   // NEGATE_VC
  EXPECT_EQ(mad(0x007FFFFF, bits_of(2), bits_of(0), 0), 0u);
  // 1 + 2^-24 is a tie to even; a little more rounds up, which a double rounding would miss.
  EXPECT_EQ(mad(kOne, bits_of(0x1p-24f), kOne, 0), kOne);
  EXPECT_EQ(mad(0x3F800001, bits_of(0x1p-24f), kOne, 0), kOne + 1);
}

TEST(AuditVector, mov_reads_special_registers) {  // SFPMOV, functional model
  Lane lane;
  for (u32 i = 0; i < 4; ++i) {
    lane.put(0, 0x1000 + i);
    lane.run<op::SFPCONFIG>({{"config_dest", 4 + i}});
    lane.run<op::SFPMOV>({{"lreg_c", 4 + i}, {"lreg_dest", 3}, {"instr_mod1", 8}});
    EXPECT_EQ(lane.get(3), 0x1000 + i);
  }
  lane.put(0, 0xFFFFF5A5);
  lane.run<op::SFPCONFIG>({{"config_dest", 8}});
  lane.run<op::SFPMOV>({{"lreg_c", 8}, {"lreg_dest", 3}, {"instr_mod1", 8}});
  EXPECT_EQ(lane.get(3), 0x5A5u) << "Misc has 12 bits";
  lane.set_lane_config(0x0104);
  lane.run<op::SFPMOV>({{"lreg_c", 15}, {"lreg_dest", 3}, {"instr_mod1", 8}});
  EXPECT_EQ(lane.get(3), 0x104u);
  for (const u32 nothing : {10u, 11u, 12u, 13u, 14u}) {
    lane.put(3, 7);
    lane.run<op::SFPMOV>({{"lreg_c", nothing}, {"lreg_dest", 3}, {"instr_mod1", 8}});
    EXPECT_EQ(lane.get(3), 0u);
  }
  EXPECT_EQ(unary<op::SFPMOV>(0xFFC00000, 1), 0x7FC00000u) << "VD = -VC inverts the sign";
}

TEST(AuditVector, mov_of_all_lanes_disregards_the_flags) {  // SFPMOV, first lines
  Lane lane;
  lane.put(1, 5);
  lane.put(2, 0);
  lane.predicate(0x0000FFFF);
  lane.run<op::SFPMOV>({{"lreg_c", 1}, {"lreg_dest", 2}});
  EXPECT_EQ(lane.get(2, 3), 5u);
  EXPECT_EQ(lane.get(2, 20), 0u);
  lane.run<op::SFPMOV>({{"lreg_c", 1}, {"lreg_dest", 2}, {"instr_mod1", 2}});
  EXPECT_EQ(lane.get(2, 20), 5u);
  // VD of 12 and more with the back door open is a write of the template, not a move.
  lane.run<op::SFPMOV>({{"lreg_c", 1}, {"lreg_dest", 13}});
  lane.predicate(kAll);
  lane.run<op::SFPMOV>({{"lreg_c", 1}, {"lreg_dest", 3}, {"instr_mod1", 8}});
  EXPECT_EQ(lane.get(3), 0x7Cu << 24 | 1u << 8 | 13u << 4);
}

TEST(AuditVector, nop_of_the_vector_unit_changes_nothing) {  // SFPNOP, summary
  Lane lane;
  for (u32 r = 0; r < 8; ++r) lane.put(r, r);
  EXPECT_EQ(lane.run<op::SFPNOP>(), Completion::Done);
  for (u32 r = 0; r < 8; ++r) EXPECT_EQ(lane.get(r), r);
}

bool boolean(u32 mod, bool a, bool b) {  // SFPPOPC and SFPPUSHC, BooleanOp, as a truth table
  constexpr u32 kTable[13] = {0, 0xA, 0x5, 0x8, 0xE, 0x4, 0xD, 0x2, 0xB, 0x1, 0x7, 0x6, 0x9};
  return (kTable[mod] >> (2 * a + b) & 1) != 0;
}

TEST(AuditVector, popc_combines_the_flags_with_the_top_of_the_stack) {  // SFPPOPC
  for (u32 mod = 1; mod <= 12; ++mod) {
    for (u32 pattern = 0; pattern < 4; ++pattern) {
      const bool now = (pattern & 2) != 0;
      const bool top = (pattern & 1) != 0;
      Lane lane;
      lane.predicate(top ? kAll : 0);
      lane.run<op::SFPPUSHC>();
      lane.predicate(now ? kAll : 0);
      lane.run<op::SFPPOPC>({{"instr_mod1", mod}});
      EXPECT_EQ(lane.sfpu().condition.lane_flags, boolean(mod, now, top) ? kAll : 0) << mod;
    }
  }
}

TEST(AuditVector, plain_pop_of_an_empty_stack_is_no_silent_success) {  // SFPPOPC, undefined case
  Lane lane;
  lane.run<op::SFPPOPC>();
  EXPECT_FALSE(lane.faults().faults().empty());
}

TEST(AuditVector, popc_with_the_back_door_open_writes_the_template) {  // SFPPOPC, guard
  Lane lane;
  lane.predicate(kAll);
  lane.run<op::SFPPUSHC>();
  lane.predicate(0);
  lane.run<op::SFPPOPC>({{"lreg_dest", 12}});
  EXPECT_EQ(lane.sfpu().condition.lane_flags, 0u);
}

TEST(AuditVector, pushc_mutates_the_top) {  // SFPPUSHC
  for (u32 mod = 1; mod <= 12; ++mod) {
    for (u32 pattern = 0; pattern < 4; ++pattern) {
      const bool top = (pattern & 2) != 0;
      const bool now = (pattern & 1) != 0;
      Lane lane;
      lane.predicate(top ? kAll : 0);
      lane.run<op::SFPPUSHC>();
      lane.predicate(now ? kAll : 0);
      lane.run<op::SFPPUSHC>({{"instr_mod1", mod}});
      lane.run<op::SFPPOPC>();
      EXPECT_EQ(lane.sfpu().condition.lane_flags, boolean(mod, top, now) ? kAll : 0) << mod;
    }
  }
  for (const u32 mod : {14u, 15u}) {
    Lane lane;
    lane.predicate(0x00FF00FF);
    lane.run<op::SFPPUSHC>();
    lane.run<op::SFPPUSHC>({{"instr_mod1", mod}});
    lane.run<op::SFPPOPC>();
    EXPECT_EQ(lane.sfpu().condition.lane_flags, mod == 14 ? kAll : 0u);
    EXPECT_EQ(lane.sfpu().condition.use_lane_flags, kAll);
  }
}

TEST(AuditVector, stack_of_flags_holds_eight_entries) {  // SFPPUSHC, undefined beyond
  Lane lane;
  for (u32 i = 0; i < 8; ++i) lane.run<op::SFPPUSHC>();
  EXPECT_TRUE(lane.faults().faults().empty());
  lane.run<op::SFPPUSHC>();
  EXPECT_FALSE(lane.faults().faults().empty());
}

TEST(AuditVector, setcc_compares_with_zero) {  // SFPSETCC; VectorUnit, its two rows
  const auto flag = [](u32 value, u32 mod) {
    Lane lane;
    lane.put(1, value);
    lane.predicate(kAll);
    lane.run<op::SFPSETCC>({{"lreg_c", 1}, {"instr_mod1", mod}});
    return lane.sfpu().condition.lane_flags == kAll;
  };
  for (const u32 value : {0u, 1u, 0x80000000u, 0xFFFFFFFFu}) {
    const i32 c = static_cast<i32>(value);
    EXPECT_EQ(flag(value, 0), c < 0);
    EXPECT_EQ(flag(value, 2), c != 0);
    EXPECT_EQ(flag(value, 4), c >= 0);
    EXPECT_EQ(flag(value, 6), c == 0);
  }
}

TEST(AuditVector, setsgn_gives_and_takes_the_sign) {  // VectorUnit: VD = Abs(VC) or -Abs(VC)
  EXPECT_EQ(unary<op::SFPSETSGN>(0xC0000000, 1, 0), 0x40000000u);
  EXPECT_EQ(unary<op::SFPSETSGN>(0x40000000, 1, 1), 0xC0000000u);
}

TEST(AuditVector, shft2_shifts_registers_and_rotates_lanes) {  // SFPSHFT2; VectorUnit, two rows
  Lane lane;
  for (u32 r = 0; r < 8; ++r)
    for (u32 i = 0; i < kLanes; ++i) lane.sfpu().lreg[r][i] = r << 8 | i;
  lane.run<op::SFPSHFT2>({{"instr_mod1", 2}, {"lreg_src_c", 5}});
  for (u32 i = 0; i < kLanes; ++i) {
    EXPECT_EQ(lane.get(0, i), 0x100 | i);
    EXPECT_EQ(lane.get(1, i), 0x200 | i);
    EXPECT_EQ(lane.get(2, i), 0x300 | i);
    EXPECT_EQ(lane.get(3, i), 0x500 | (i & 7 ? i - 1 : i + 7));
  }
  lane.run<op::SFPSHFT2>({{"instr_mod1", 3}, {"lreg_src_c", 5}, {"lreg_dest", 6}});
  for (u32 i = 0; i < kLanes; ++i) EXPECT_EQ(lane.get(6, i), 0x500 | (i & 7 ? i - 1 : i + 7));
  lane.run<op::SFPSHFT2>({{"instr_mod1", 0}});
  EXPECT_EQ(lane.get(3, 9), 0u);
}

u32 round_to(u32 value, u32 mod, u32 mode) {
  Lane lane;
  lane.put(1, value);
  lane.run<op::SFP_STOCH_RND>({{"lreg_src_c", 1},
                               {"lreg_src_b", 1},
                               {"lreg_dest", 2},
                               {"instr_mod1", mod},
                               {"rnd_mode", mode}});
  return lane.get(2);
}

TEST(AuditVector, rounding_to_less_mantissa_uses_the_discarded_bits) {  // SFPSTOCHRND_FloatFloat
  EXPECT_EQ(round_to(0x3F808000, 1, 0), 0x3F810000u) << "tie away from zero";
  EXPECT_EQ(round_to(0x3F807FFF, 1, 0), 0x3F800000u);
  EXPECT_EQ(round_to(0xBF801000, 0, 0), 0xBF802000u);
  EXPECT_EQ(round_to(0x3F80FFFF, 1, 2), 0x3F810000u) << "the bug: >= rather than >";
  EXPECT_EQ(round_to(0x3F80FFFE, 1, 2), 0x3F800000u);
  EXPECT_EQ(round_to(0x80000001, 1, 0), 0u);
  EXPECT_EQ(round_to(0xFFC00000, 1, 0), 0xFF800000u);
}

TEST(AuditVector, rounding_to_bf16_makes_the_store_exact) {  // SFPSTOCHRND_FloatFloat, summary
  for (const u32 value : {0x3F812345u, 0xC1FFFFFFu, 0x00800001u}) {
    Lane lane;
    lane.put(1, round_to(value, 1, 0));
    lane.run<op::SFPSTORE>({{"lreg_ind", 1}, {"instr_mod0", 2}});
    lane.run<op::SFPLOAD>({{"lreg_ind", 2}, {"instr_mod0", 2}});
    EXPECT_EQ(lane.get(2), lane.get(1));
    lane.put(1, round_to(value, 0, 0));  // ten bits: a store of FP32 is exact
    lane.run<op::SFPSTORE>({{"lreg_ind", 1}, {"instr_mod0", 3}});
    lane.run<op::SFPLOAD>({{"lreg_ind", 2}, {"instr_mod0", 3}});
    EXPECT_EQ(lane.get(2), lane.get(1));
  }
}

TEST(AuditVector, floats_become_bounded_integers) {  // SFPSTOCHRND_FloatInt
  EXPECT_EQ(round_to(bits_of(200.0f), 3, 0), 127u);
  EXPECT_EQ(round_to(bits_of(-200.0f), 3, 0), 0x8000007Fu);
  EXPECT_EQ(round_to(bits_of(-200.0f), 2, 0), 200u);
  EXPECT_EQ(round_to(bits_of(2.5f), 3, 0), 3u);
  // The three values that the mode for zero rounds away from zero.
  EXPECT_EQ(round_to(0x3F7FFFFE, 3, 2), 1u);  // 0.9999998807907
  EXPECT_EQ(round_to(0x3F7FFFFF, 3, 2), 1u);  // 0.9999999403954
  EXPECT_EQ(round_to(0x3FFFFFFF, 3, 2), 2u);  // 1.999999880791
  EXPECT_EQ(round_to(0x3F7FFFFD, 3, 2), 0u);
  EXPECT_EQ(round_to(0x3FFFFFFE, 3, 2), 1u);
  EXPECT_EQ(round_to(0x407FFFFF, 3, 2), 3u);
}

TEST(AuditVector, integers_descale_with_the_bug_of_the_zero_mode) {  // SFPSTOCHRND_IntInt
  const auto descale = [](u32 value, u32 by, u32 mode) {
    Lane lane;
    lane.put(1, value);
    lane.run<op::SFP_STOCH_RND>({{"lreg_src_c", 1},
                                 {"lreg_src_b", 1},
                                 {"lreg_dest", 2},
                                 {"imm8_math", by},
                                 {"instr_mod1", 8 + 5},
                                 {"rnd_mode", mode}});
    return lane.get(2);
  };
  EXPECT_EQ(descale(0x007FFFFF, 23, 2), 1u) << "all 23 discarded bits set";
  EXPECT_EQ(descale(0x007FFFFE, 23, 2), 0u);
  EXPECT_EQ(descale(24, 4, 0), 2u);
  EXPECT_EQ(descale(0x80000FFF, 0, 0), 0x8000007Fu);
  Lane lane;  // and the result suits a store with MOD0_FMT_INT8
  lane.put(1, 0x8000007F);
  lane.run<op::SFPSTORE>({{"lreg_ind", 1}, {"instr_mod0", 5}});
  lane.run<op::SFPLOAD>({{"lreg_ind", 2}, {"instr_mod0", 5}});
  EXPECT_EQ(lane.get(2), 0x8000007Fu);
}

TEST(AuditVector, store_as_srcb_follows_format_and_mode) {  // SFPSTORE, MOD0_FMT_SRCB
  struct Case {
    u32 fp32, format, stored;  // the 16 bits of Dst's first cell
  };
  for (const Case& c : {Case{0, 5, 0x017F}, Case{0, 1, 0x03EF}, Case{1, 5, 0x017F}}) {
    Lane lane;
    lane.set<cfg::ALU_ACC_CTRL_SFPU_Fp32_enabled>(c.fp32);
    lane.set<cfg::ALU_FORMAT_SPEC_REG1_SrcB>(c.format);
    lane.put(1, c.format == 1 ? 0x3FFF0000 : 0x3F810000);
    if (c.format == 1) lane.put(1, bits_of(1.0f + 31.0f / 1024.0f));
    lane.run<op::SFPSTORE>({{"lreg_ind", 1}});
    EXPECT_EQ(lane.fpu().dst.row[0].datum[0], c.stored) << c.format << c.fp32;
  }
}

TEST(AuditVector, store_of_fp32_flushes_denormals_and_int32_does_not) {  // SFPSTORE, tip
  Lane lane;
  lane.put(1, 0x807FFFFF);
  lane.run<op::SFPSTORE>({{"lreg_ind", 1}, {"instr_mod0", 3}});
  lane.run<op::SFPLOAD>({{"lreg_ind", 2}, {"instr_mod0", 4}});
  EXPECT_EQ(lane.get(2), 0x80000000u);
  lane.run<op::SFPSTORE>({{"lreg_ind", 1}, {"instr_mod0", 4}});
  lane.run<op::SFPLOAD>({{"lreg_ind", 2}, {"instr_mod0", 4}});
  EXPECT_EQ(lane.get(2), 0x807FFFFFu);
}

TEST(AuditVector, store_of_large_magnitudes_as_fp16_saturates) {  // SFPSTORE, note on infinity
  Lane lane;
  lane.put(1, bits_of(1e9f));
  lane.run<op::SFPSTORE>({{"lreg_ind", 1}, {"instr_mod0", 1}});
  EXPECT_EQ(lane.fpu().dst.row[0].datum[0], 0x7FFFu) << "sign 0, all mantissa and exponent bits";
  lane.put(1, 0xFFC00000);  // NaN becomes the same
  lane.run<op::SFPSTORE>({{"lreg_ind", 1}, {"instr_mod0", 1}});
  EXPECT_EQ(lane.fpu().dst.row[0].datum[0], 0xFFFFu);
}

TEST(AuditVector, store_addresses_dst_by_offset_counter_and_base) {  // SFPSTORE, Addr
  Lane lane;
  lane.set_thread<thread_cfg::DEST_TARGET_REG_CFG_MATH_Offset>(16);
  lane.set<cfg::DEST_REGW_BASE_Base>(8);
  lane.rwc().dst = 4;
  lane.put(1, 0x3F810000);
  lane.run<op::SFPSTORE>({{"lreg_ind", 1}, {"instr_mod0", 2}, {"dest_reg_addr", 32}});
  for (u32 row = 0; row < 4; ++row)
    for (u32 column = 0; column < 16; ++column)
      EXPECT_EQ(lane.fpu().dst.row[60 + row].datum[column], column % 2 == 0 ? 0x017F : 0);
}

TEST(AuditVector, store_shuffles_bf16) {  // SFPSTORE, BF16Shuffle: sign, mantissa, exponent
  Lane lane;
  lane.put(1, 0xC0490000);  // sign 1, exponent 0x80, mantissa 0x49
  lane.run<op::SFPSTORE>({{"lreg_ind", 1}, {"instr_mod0", 2}});
  EXPECT_EQ(lane.fpu().dst.row[0].datum[0], 0x8000u | 0x49u << 8 | 0x80u);
}

TEST(AuditVector, swap_in_index_mode_moves_the_other_pair) {  // SFPSWAP: argmin and argmax
  Lane lane;
  lane.set_lane_config(4);
  lane.put(0, bits_of(3.0f));
  lane.put(1, bits_of(2.0f));
  lane.put(4, 30);
  lane.put(5, 20);
  lane.run<op::SFPSWAP>({{"lreg_src_c", 0}, {"lreg_dest", 1}, {"instr_mod1", 1}});
  EXPECT_EQ(lane.get(4), 30u);
  lane.run<op::SFPSWAP>({{"lreg_src_c", 1}, {"lreg_dest", 0}, {"instr_mod1", 1}});
  EXPECT_EQ(lane.get(0), bits_of(2.0f));
  EXPECT_EQ(lane.get(1), bits_of(3.0f));
  EXPECT_EQ(lane.get(4), 20u);
  EXPECT_EQ(lane.get(5), 30u);
}

}  // namespace
}  // namespace bhemu::tensix
