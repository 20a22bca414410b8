// SFPLOAD, SFPSTORE, SFPLOADI: addresses, formats, counters.
#include <gtest/gtest.h>

#include "numeric/format_codes.hpp"
#include "tensix/unit_bench.hpp"

namespace bhemu::tensix {
namespace {

using numeric::Format;

void load(UnitBench& bench, u32 mod, u32 address = 0, u32 vd = 0, u32 addr_mode = 0) {
  bench.run<op::SFPLOAD>({{"lreg_ind", vd},
                          {"instr_mod0", mod},
                          {"dest_reg_addr", address},
                          {"sfpu_addr_mode", addr_mode}});
}
void store(UnitBench& bench, u32 mod, u32 address = 0, u32 vd = 0, u32 addr_mode = 0) {
  bench.run<op::SFPSTORE>({{"lreg_ind", vd},
                           {"instr_mod0", mod},
                           {"dest_reg_addr", address},
                           {"sfpu_addr_mode", addr_mode}});
}
void set_lane_config(UnitBench& bench, u32 value) {
  bench.run<op::SFPCONFIG>({{"config_dest", 15}, {"instr_mod1", 1}, {"imm16_math", value}});
}

TEST(SfpuMemory, lanes_lie_in_even_or_odd_columns_of_four_rows) {
  UnitBench bench;
  for (u32 row = 0; row < 16; ++row)
    for (u32 column = 0; column < 16; ++column)
      bench.dst().write16(row, column, static_cast<u16>(row << 8 | column));
  for (const u32 address : {0u, 1u, 2u, 3u, 4u, 10u}) {
    load(bench, 6, address);
    const u32 odd = (address >> 1) & 1;
    for (u32 i = 0; i < kLanes; ++i)
      EXPECT_EQ(bench.sfpu().lreg[0][i], ((address & ~3u) + i / 8) << 8 | (2 * (i % 8) + odd));
  }
}

TEST(SfpuMemory, address_adds_offset_counter_bases_and_wraps) {
  UnitBench bench;
  bench.set_thread<thread_cfg::DEST_TARGET_REG_CFG_MATH_Offset>(512);
  bench.set<cfg::DEST_REGW_BASE_Base>(64);
  bench.set<cfg::DEST_SP_BASE_Base>(6);  // its low two bits count
  bench.rwc().dst = 1000;
  const u32 row = (512 + 64 + 1000 + 2 + 8) % 1024;
  bench.dst().write16(row & ~3u, (row & 2) != 0 ? 1 : 0, 0x1234);
  load(bench, 6, 8);
  EXPECT_EQ(bench.sfpu().lreg[0][0], 0x1234u);
}

TEST(SfpuMemory, address_modes_step_the_counters_but_not_the_phase) {
  UnitBench bench;
  bench.set_addr_mod(3, 0x0201, 1u << 13 | 2);
  load(bench, 6, 0, 0, 3);
  store(bench, 6, 0, 0, 3);
  EXPECT_EQ(bench.rwc().dst, 4);
  EXPECT_EQ(bench.rwc().src_a, 2);
  EXPECT_EQ(bench.rwc().src_b, 4);
  EXPECT_EQ(bench.rwc().fidelity, 0);
}

struct LoadCase {
  u32 mod;
  u16 stored;
  u32 result;
};

TEST(SfpuMemory, loads_of_16_bit_storage_convert_as_their_mode_says) {
  const LoadCase kCases[] = {
      {1, 0x000F, 0x3F800000},  // FP16 1.0
      {1, 0xFFFF, 0xC7FFE000},  // largest FP16, a number
      {1, 0x8020, 0x80002000},  // FP16 denormal stays a denormal
      {2, 0x007F, 0x3F800000},  // BF16 1.0
      {2, 0x8180, 0xC0010000 & 0xFFFF0000},
      {5, 0x8FF0, 0x8000007F},  // INT8, 8 bits of magnitude
      {5, 0x7FF0, 0x000000FF},
      {13, 0x7FF0, 0x000003FF},
      {6, 0x8001, 0x00008001},
      {9, 0x8001, 0x00008001},
      {7, 0x8001, 0x80010000},
      {8, 0x8001, 0x80000001},
      {14, 0xABCD, 0x5555ABCD},
      {15, 0xABCD, 0xABCD5555},
      {11, 0xABCD, 0x00000000},
  };
  for (const LoadCase& c : kCases) {
    UnitBench bench;
    for (u32 row = 0; row < 4; ++row)
      for (u32 column = 0; column < 16; ++column) bench.dst().write16(row, column, c.stored);
    bench.sfpu().lreg[0].lane.fill(0x55555555);
    load(bench, c.mod);
    for (u32 i = 0; i < kLanes; ++i)
      ASSERT_EQ(bench.sfpu().lreg[0][i], c.result) << "mod " << c.mod << " of " << c.stored;
  }
}

TEST(SfpuMemory, fp16_infinity_is_optional) {
  UnitBench bench;
  set_lane_config(bench, 1);
  for (u32 column = 0; column < 16; ++column) bench.dst().write16(0, column, 0xFFFF);
  load(bench, 1);
  EXPECT_EQ(bench.sfpu().lreg[0][0], 0xFF800000u);
}

TEST(SfpuMemory, wide_loads_and_stores_keep_every_bit_and_mode_3_flushes_on_store) {
  for (const u32 mod : {3u, 4u, 12u}) {
    UnitBench bench;
    for (u32 i = 0; i < kLanes; ++i) bench.sfpu().lreg[0][i] = 0x80000001 + (i << 22);
    store(bench, mod, 16);
    load(bench, mod, 16, 1);
    for (u32 i = 0; i < kLanes; ++i) {
      const u32 value = 0x80000001 + (i << 22);
      const bool flushed = mod == 3 && (value & 0x7F800000) == 0;
      EXPECT_EQ(bench.sfpu().lreg[1][i], flushed ? 0x80000000u : value);
    }
  }
}

struct StoreCase {
  u32 mod;
  u32 value;
  u32 stored;
  bool wide;
};

TEST(SfpuMemory, stores_convert_as_their_mode_says) {
  const StoreCase kCases[] = {
      {1, 0x3F800000, 0x000F, false},
      {1, 0x3F801FFF, 0x000F, false},  // truncated
      {1, 0x38000000, 0x0000, false},  // 2^-15 is below FP16
      {1, 0xC7FFFFFF, 0xFFFF, false},
      {1, 0xFFC00000, 0xFFFF, false},  // NaN becomes the largest pattern
      {2, 0x3F81FFFF, 0x017F, false},
      {2, 0x807FFFFF, 0x8000, false},
      {3, 0x3F81E000, 0x017FE000, true},
      {4, 0x3F81E000, 0x017FE000, true},
      {5, 0x80000005, 0x80B0, false},
      {13, 0x000003FF, 0x7FF0, false},
      {6, 0x12345678, 0x5678, false},
      {14, 0x12345678, 0x5678, false},
      {15, 0x12345678, 0x1234, false},
      {8, 0x80005678, 0xD678, false},
      {7, 0x12345678, 0x12345678, true},
      {9, 0x12345678, 0x56781234, true},
      {11, 0x12345678, 0x0000, false},
  };
  for (const StoreCase& c : kCases) {
    UnitBench bench;
    bench.sfpu().lreg[2].lane.fill(c.value);
    store(bench, c.mod, 2, 2);
    for (u32 i = 0; i < kLanes; ++i) {
      const u32 column = 2 * (i % 8) + 1;
      const u32 stored =
          c.wide ? bench.dst().read32(i / 8, column) : bench.dst().read16(i / 8, column);
      ASSERT_EQ(stored, c.stored) << "mod " << c.mod;
    }
  }
}

TEST(SfpuMemory, mode_0_follows_the_configured_format) {
  auto stored_one = [](UnitBench& bench) {
    bench.sfpu().lreg[0].lane.fill(0x3F800000);
    store(bench, 0);
    return bench.dst().read32(0, 0);
  };
  UnitBench fp32;
  fp32.set<cfg::ALU_ACC_CTRL_SFPU_Fp32_enabled>(1);
  fp32.set<cfg::ALU_FORMAT_SPEC_REG1_SrcB>(1);
  EXPECT_EQ(stored_one(fp32), 0x007F0000u);
  for (u32 code = 0; code < 16; ++code) {
    const bool eight_bit = code == 0 || (code >= 4 && code <= 9) || code == 15;
    UnitBench bench;
    bench.set<cfg::ALU_FORMAT_SPEC_REG1_SrcB>(code);
    EXPECT_EQ(stored_one(bench) >> 16, eight_bit ? 0x007Fu : 0x000Fu) << "code " << code;
  }
  UnitBench override_wins;
  override_wins.set<cfg::ALU_FORMAT_SPEC_REG1_SrcB>(5);
  override_wins.set<cfg::ALU_FORMAT_SPEC_REG_SrcB_override>(1);
  override_wins.set<cfg::ALU_FORMAT_SPEC_REG_SrcB_val>(1);
  EXPECT_EQ(stored_one(override_wins) >> 16, 0x000Fu);
  override_wins.set_thread<thread_cfg::SFPU_DEST_FMT_Enable>(1);
  override_wins.set_thread<thread_cfg::SFPU_DEST_FMT_Base>(5);
  EXPECT_EQ(stored_one(override_wins) >> 16, 0x007Fu);
}

TEST(SfpuMemory, disabled_lanes_are_neither_loaded_nor_stored) {
  UnitBench bench;
  bench.sfpu().condition = {0xFFFFFFFF, 0x00000F0F};
  bench.sfpu().lreg[0].lane.fill(0x1111);
  store(bench, 6);
  for (u32 i = 0; i < kLanes; ++i)
    EXPECT_EQ(bench.dst().read16(i / 8, 2 * (i % 8)), bit(0x0F0F, i) ? 0x1111 : 0);
  bench.sfpu().lreg[1].lane.fill(7);
  load(bench, 6, 0, 1);
  for (u32 i = 0; i < kLanes; ++i)
    EXPECT_EQ(bench.sfpu().lreg[1][i], bit(0x0F0F, i) ? 0x1111u : 7u);
}

TEST(SfpuMemory, lane_config_blocks_and_exchanges_columns) {
  UnitBench bench;
  bench.sfpu().lreg[0].lane.fill(0x2222);
  set_lane_config(bench, 1u << 7);  // stores go to odd columns
  store(bench, 6);
  EXPECT_EQ(bench.dst().read16(0, 0), 0);
  EXPECT_EQ(bench.dst().read16(3, 15), 0x2222);
  set_lane_config(bench, 1u << 4);  // no stores
  store(bench, 6);
  EXPECT_EQ(bench.dst().read16(0, 0), 0);
  set_lane_config(bench, 1u << 6);  // loads from odd columns
  load(bench, 6, 0, 1);
  EXPECT_EQ(bench.sfpu().lreg[1][0], 0x2222u);
  set_lane_config(bench, 1u << 5);  // no loads
  load(bench, 6, 0, 2);
  EXPECT_EQ(bench.sfpu().lreg[2][0], 0u);
}

TEST(SfpuMemory, a_store_with_vd_from_12_on_is_a_template_where_the_back_door_is_open) {
  UnitBench bench;
  bench.set_addr_mod(2, 0, 4);
  const auto word = encode<op::SFPSTORE>(
      {{"lreg_ind", 13}, {"instr_mod0", 4}, {"dest_reg_addr", 8}, {"sfpu_addr_mode", 2}});
  bench.sfpu().lreg[0].lane.fill(2);  // DISABLE_BACKDOOR_LOAD, in column 3 only
  bench.run<op::SFPCONFIG>({{"config_dest", 15}, {"instr_mod1", 8}, {"imm16_math", 1u << 6}});
  bench.sfpu().lreg[13].lane.fill(0x12345678);
  for (u32 row = 8; row < 12; ++row)
    for (u32 column = 0; column < 16; ++column) bench.dst().write32(row, column, 0);
  store(bench, 4, 8, 13, 2);
  for (u32 column = 0; column < kLaneColumns; ++column) {
    const bool stored = column == 3;
    EXPECT_EQ(bench.sfpu().macro_instruction[1][column], stored ? 0u : word) << column;
    EXPECT_EQ(bench.dst().read32(9, 2 * column) != 0, stored) << column;
  }
  EXPECT_EQ(bench.rwc().dst, 4);
  EXPECT_FALSE(bench.faulted(Rule::TensixUndefined));
}

TEST(SfpuMemory, load_captures_the_position_of_each_datum) {
  UnitBench bench;
  set_lane_config(bench, 0xC);
  load(bench, 6, 8 + 2, 1);
  for (u32 i = 0; i < kLanes; ++i)
    EXPECT_EQ(bench.sfpu().lreg[5][i], (8 + i / 8) << 4 | (2 * (i % 8) + 1));
}

TEST(SfpuMemory, int32_all_ignores_predication_and_uses_the_stack_pointer) {
  UnitBench bench;
  bench.set_thread<thread_cfg::SFPU_STACK_Incr>(4);
  bench.sfpu().condition = {0xFFFFFFFF, 0};
  bench.rwc().dst = 2;  // its low two bits count
  bench.sfpu().lreg[0].lane.fill(0xDEADBEEF);
  store(bench, 10, 32);
  EXPECT_EQ(bench.rwc().sp, 4);
  EXPECT_EQ(bench.dst().read32(32, 1), numeric::dst_from_fp32(0xDEADBEEF));
  load(bench, 10, 32, 1);
  EXPECT_EQ(bench.rwc().sp, 0);
  EXPECT_EQ(bench.sfpu().lreg[1][31], 0xDEADBEEFu);
  load(bench, 10, 32, 1);
  EXPECT_EQ(bench.rwc().sp, 0);
}

TEST(SfpuMemory, invalid_rows_load_zero_with_a_warning_and_a_store_makes_them_valid) {
  UnitBench bench;
  bench.dst().write16(0, 0, 0x1234);
  bench.dst().set_valid16(0, false);
  load(bench, 6);
  EXPECT_EQ(bench.sfpu().lreg[0][0], 0u);
  EXPECT_TRUE(bench.faulted(Rule::SfpuInvalidRow));
  EXPECT_FALSE(bench.faults().stopped());
  store(bench, 6, 2);
  EXPECT_TRUE(bench.dst().valid16(0));
  EXPECT_EQ(bench.dst().read16(0, 0), 0x1234);
}

TEST(SfpuMemory, loadi_has_six_modes) {
  UnitBench bench;
  auto loaded = [&](u32 mod, u32 immediate) {
    bench.run<op::SFPLOADI>({{"lreg_ind", 3}, {"instr_mod0", mod}, {"imm16", immediate}});
    return bench.sfpu().lreg[3][9];
  };
  EXPECT_EQ(loaded(0, 0x3F80), 0x3F800000u);
  EXPECT_EQ(loaded(1, 0x3C00), 0x3F800000u);
  EXPECT_EQ(loaded(1, 0x0001), 0x38002000u);  // exponent 0 is an ordinary number
  EXPECT_EQ(loaded(2, 0x8001), 0x00008001u);
  EXPECT_EQ(loaded(4, 0x8001), 0xFFFF8001u);
  EXPECT_EQ(loaded(8, 0x1234), 0x12348001u);
  EXPECT_EQ(loaded(10, 0x5678), 0x12345678u);
  loaded(3, 0);
  EXPECT_TRUE(bench.faulted(Rule::TensixUndefined));
}

}  // namespace
}  // namespace bhemu::tensix
