// Moves across lanes, SFPSWAP, SFPCONFIG with LaneConfig, the back-door, and random numbers.
#include <gtest/gtest.h>

#include "tensix/prng.hpp"
#include "tensix/unit_bench.hpp"

namespace bhemu::tensix {
namespace {

constexpr u32 kAll = 0xFFFFFFFF;
constexpr u32 kDisableBackdoor = 2;
constexpr u32 kEnableDestIndex = 4;
constexpr u32 kExchange = 0x100;

/// Every lane of LReg 0..7 has a value of its own: register in bits 15:8, lane below.
void number_lanes(UnitBench& bench) {
  for (u32 r = 0; r < 8; ++r)
    for (u32 i = 0; i < kLanes; ++i) bench.sfpu().lreg[r][i] = r << 8 | i;
}

void set_lane_config(UnitBench& bench, u32 value) {
  bench.run<op::SFPCONFIG>({{"config_dest", 15}, {"instr_mod1", 1}, {"imm16_math", value}});
}

TEST(SfpuMove, transp_exchanges_rows_and_registers_within_each_half) {
  UnitBench bench;
  number_lanes(bench);
  bench.run<op::SFPTRANSP>();
  for (u32 base = 0; base < 8; base += 4)
    for (u32 i = 0; i < 4; ++i)
      for (u32 j = 0; j < 4; ++j)
        for (u32 c = 0; c < 8; ++c)
          ASSERT_EQ(bench.sfpu().lreg[base + i][8 * j + c], (base + j) << 8 | (8 * i + c));
}

TEST(SfpuMove, transp_reads_disabled_lanes_but_writes_enabled_ones_only) {
  UnitBench bench;
  number_lanes(bench);
  bench.sfpu().condition = {kAll, 0x000000FF};
  bench.run<op::SFPTRANSP>();
  EXPECT_EQ(bench.sfpu().lreg[1][3], 0u << 8 | 11u);
  EXPECT_EQ(bench.sfpu().lreg[1][11], 1u << 8 | 11u);
}

TEST(SfpuMove, shft2_copies_and_shuffles) {
  auto shuffled = [](u32 mod) {
    auto bench = std::make_unique<UnitBench>();
    number_lanes(*bench);
    bench->run<op::SFPSHFT2>({{"instr_mod1", mod}, {"lreg_src_c", 5}, {"lreg_dest", 6}});
    return bench;
  };
  for (u32 i = 0; i < kLanes; ++i) {
    const u32 rotated = 0x500 | (i % 8 != 0 ? i - 1 : i + 7);
    EXPECT_EQ(shuffled(0)->sfpu().lreg[2][i], 0x300 | i);
    EXPECT_EQ(shuffled(0)->sfpu().lreg[3][i], 0u);
    EXPECT_EQ(shuffled(1)->sfpu().lreg[0][i], 0x100 | i);
    EXPECT_EQ(shuffled(1)->sfpu().lreg[3][i], i < 24 ? i + 8 : 0);
    EXPECT_EQ(shuffled(2)->sfpu().lreg[1][i], 0x200 | i);
    EXPECT_EQ(shuffled(2)->sfpu().lreg[3][i], rotated);
    EXPECT_EQ(shuffled(3)->sfpu().lreg[6][i], rotated);
    EXPECT_EQ(shuffled(4)->sfpu().lreg[6][i], i % 8 != 0 ? rotated : 0);
  }
}

TEST(SfpuMove, shft2_immediate_takes_its_register_from_the_amount) {
  UnitBench bench;
  number_lanes(bench);
  bench.run<op::SFPSHFT2>({{"instr_mod1", 6}, {"lreg_dest", 6}, {"imm12_math", 4}});
  EXPECT_EQ(bench.sfpu().lreg[6][7], 0x407u << 4);
  bench.run<op::SFPSHFT2>({{"instr_mod1", 6}, {"lreg_dest", 6}, {"imm12_math", 0xFF2}});  // -14
  EXPECT_EQ(bench.sfpu().lreg[6][7], 0x207u >> 14);
  EXPECT_EQ(bench.run<op::SFPSHFT2>({{"instr_mod1", 7}}), Completion::Done);
  EXPECT_TRUE(bench.faulted(Rule::TensixUndefined));
}

TEST(SfpuMove, swap_gives_minimum_and_maximum_by_group_of_lanes) {
  constexpr u32 kMinimumInVd[10] = {0,          kAll,       0x0000FFFF, 0x00FF00FF, 0xFF0000FF,
                                    0x000000FF, 0x0000FF00, 0x00FF0000, 0xFF000000, 0};
  for (u32 mod = 1; mod < 10; ++mod) {
    for (const bool exchanged : {false, true}) {
      UnitBench bench;
      if (exchanged) set_lane_config(bench, kExchange);
      bench.sfpu().lreg[0].lane.fill(0xBF800000);
      bench.sfpu().lreg[1].lane.fill(0x40000000);
      bench.run<op::SFPSWAP>({{"lreg_src_c", 0}, {"lreg_dest", 1}, {"instr_mod1", mod}});
      for (u32 i = 0; i < kLanes; ++i) {
        const bool minimum = bit(kMinimumInVd[mod], i) != exchanged;
        EXPECT_EQ(bench.sfpu().lreg[1][i], minimum ? 0xBF800000u : 0x40000000u);
        EXPECT_EQ(bench.sfpu().lreg[0][i], minimum ? 0x40000000u : 0xBF800000u);
      }
    }
  }
}

TEST(SfpuMove, swap_with_dest_index_carries_the_indices_and_ties_go_by_mode) {
  UnitBench bench;
  set_lane_config(bench, kEnableDestIndex);
  auto& lreg = bench.sfpu().lreg;
  lreg[0].lane.fill(0x3F800000);
  lreg[1].lane.fill(0x3F800000);
  lreg[4].lane.fill(40);
  lreg[5].lane.fill(50);
  bench.run<op::SFPSWAP>({{"lreg_src_c", 0}, {"lreg_dest", 1}, {"instr_mod1", 1}});
  EXPECT_EQ(lreg[4][0], 40u);
  bench.run<op::SFPSWAP>({{"lreg_src_c", 0}, {"lreg_dest", 1}, {"instr_mod1", 9}});
  EXPECT_EQ(lreg[4][0], 50u);
  EXPECT_EQ(lreg[5][31], 40u);
  lreg[0].lane.fill(0xC0000000);
  bench.run<op::SFPSWAP>({{"lreg_src_c", 0}, {"lreg_dest", 1}, {"instr_mod1", 1}});
  EXPECT_EQ(lreg[0][3], 0x3F800000u);
  EXPECT_EQ(lreg[1][3], 0xC0000000u);
  EXPECT_EQ(lreg[4][3], 40u);
}

TEST(SfpuMove, constants_ignore_writes_and_lane_register_counts_by_two) {
  UnitBench bench;
  for (u32 vd : {8u, 9u, 10u, 11u}) {
    const auto before = bench.sfpu().lreg[vd];
    bench.run<op::SFPNOT>({{"lreg_c", 9}, {"lreg_dest", vd}});
    EXPECT_EQ(bench.sfpu().lreg[vd], before);
  }
  EXPECT_EQ(bench.sfpu().lreg[8][0], 0x3F56594Bu);
  EXPECT_EQ(bench.sfpu().lreg[10][31], 0x3F800000u);
  EXPECT_EQ(bench.sfpu().lreg[15][31], 62u);
}

TEST(SfpuMove, config_broadcasts_eight_lanes_of_lreg_0) {
  UnitBench bench;
  number_lanes(bench);
  bench.run<op::SFPCONFIG>({{"config_dest", 13}});
  for (u32 i = 0; i < kLanes; ++i) EXPECT_EQ(bench.sfpu().lreg[13][i], i % 8);
  // Mod 8: bit 2 of each column in the immediate enables it; disabled columns keep their value.
  bench.sfpu().lreg[0].lane.fill(77);
  bench.run<op::SFPCONFIG>({{"config_dest", 13}, {"instr_mod1", 8}, {"imm16_math", 0x0005}});
  for (u32 i = 0; i < kLanes; ++i) EXPECT_EQ(bench.sfpu().lreg[13][i], i % 8 < 2 ? 77u : i % 8);
}

TEST(SfpuMove, config_combines_lane_config_and_keeps_high_bits_with_an_immediate) {
  UnitBench bench;
  bench.sfpu().lreg[0].lane.fill(0x30001);
  bench.run<op::SFPCONFIG>({{"config_dest", 15}});
  EXPECT_EQ(bench.sfpu().lane_config[3], 0x30001u);
  bench.run<op::SFPCONFIG>({{"config_dest", 15}, {"instr_mod1", 3}, {"imm16_math", 0x10}});
  EXPECT_EQ(bench.sfpu().lane_config[3], 0x30011u);
  bench.run<op::SFPCONFIG>({{"config_dest", 15}, {"instr_mod1", 5}, {"imm16_math", 0x30}});
  EXPECT_EQ(bench.sfpu().lane_config[3], 0x30010u);
  bench.run<op::SFPCONFIG>({{"config_dest", 15}, {"instr_mod1", 7}, {"imm16_math", 0x11}});
  EXPECT_EQ(bench.sfpu().lane_config[7], 0x30001u);
}

TEST(SfpuMove, row_mask_disables_rows_of_lanes_except_for_mov_of_all_lanes) {
  UnitBench bench;
  set_lane_config(bench, 0x5000);  // rows 0 and 2
  bench.run<op::SFPLOADI>({{"lreg_ind", 1}, {"instr_mod0", 2}, {"imm16", 9}});
  for (u32 i = 0; i < kLanes; ++i) EXPECT_EQ(bench.sfpu().lreg[1][i], i / 8 % 2 != 0 ? 9u : 0u);
  bench.run<op::SFPMOV>({{"lreg_c", 10}, {"lreg_dest", 2}, {"instr_mod1", 2}});
  EXPECT_EQ(bench.sfpu().lreg[2][0], 0x3F800000u);
}

TEST(SfpuMove, mov_takes_no_notice_of_the_reserved_bit_2) {
  UnitBench bench;
  set_lane_config(bench, 0x5000);  // rows 0 and 2
  bench.run<op::SFPMOV>({{"lreg_c", 10}, {"lreg_dest", 2}, {"instr_mod1", 2 | 4}});
  for (u32 i = 0; i < kLanes; ++i) EXPECT_EQ(bench.sfpu().lreg[2][i], 0x3F800000u);
}

TEST(SfpuMove, back_door_stores_the_word_instead_of_executing_it) {
  UnitBench bench;
  number_lanes(bench);
  const u32 word = encode<op::SFPMAD>(
      {{"lreg_src_a", 1}, {"lreg_src_b", 2}, {"lreg_src_c", 3}, {"lreg_dest", 13}});
  const auto before = bench.sfpu().lreg;
  bench.run(word);
  EXPECT_EQ(bench.sfpu().lreg, before);
  for (u32 i = 0; i < kLaneColumns; ++i) EXPECT_EQ(bench.sfpu().macro_instruction[1][i], word);
  // SFPMOV reads it back.
  bench.run<op::SFPMOV>({{"lreg_c", 1}, {"lreg_dest", 4}, {"instr_mod1", 8}});
  EXPECT_EQ(bench.sfpu().lreg[4][17], word);
  set_lane_config(bench, kDisableBackdoor);
  bench.run(word ^ 0x1000);
  EXPECT_EQ(bench.sfpu().macro_instruction[1][0], word);
}

TEST(SfpuMove, random_numbers_follow_the_seeding_and_step_in_enabled_lanes_only) {
  UnitBench bench;
  seed_generators(bench.state(), 0x01234567);
  bench.run<op::SFPMOV>({{"lreg_c", 9}, {"lreg_dest", 0}, {"instr_mod1", 8}});
  const auto& lreg = bench.sfpu().lreg;
  EXPECT_EQ(lreg[0][0], 0x06D56CE4u);
  EXPECT_EQ(lreg[0][1], 0x1B55B391u);
  EXPECT_EQ(lreg[0][2], 0x6D56CE46u);
  EXPECT_EQ(lreg[0][29], 0xEC71ED60u);
  EXPECT_EQ(lreg[0][30], 0xB1C7B581u);
  EXPECT_EQ(lreg[0][31], 0xC71ED607u);
  const auto before = bench.sfpu().prng;
  bench.sfpu().condition = {kAll, 0x0000FFFF};
  bench.run<op::SFP_STOCH_RND>({{"lreg_dest", 1}, {"instr_mod1", 1}});
  for (u32 i = 0; i < kLanes; ++i)
    EXPECT_EQ(bench.sfpu().prng[i], i < 16 ? step_generator(before[i]) : before[i]);
}

TEST(SfpuMove, stochastic_rounding_compares_with_the_lane_s_random_bits) {
  UnitBench bench;
  seed_generators(bench.state(), 42);
  const auto random = bench.sfpu().prng;
  bench.sfpu().lreg[0].lane.fill(0x3F808000);
  bench.run<op::SFP_STOCH_RND>({{"lreg_dest", 1}, {"instr_mod1", 1}, {"rnd_mode", 1}});
  u32 ups = 0;
  for (u32 i = 0; i < kLanes; ++i) {
    const bool up = 0x8000 >= ((random[i] & 0x7FFFFF) >> 7);
    EXPECT_EQ(bench.sfpu().lreg[1][i], up ? 0x3F810000u : 0x3F800000u) << "lane " << i;
    ups += up;
  }
  EXPECT_GT(ups, 4u);
  EXPECT_LT(ups, 28u);
}

TEST(SfpuMove, indirect_operands_name_registers_lane_by_lane) {
  UnitBench bench;
  auto& lreg = bench.sfpu().lreg;
  for (u32 i = 0; i < kLanes; ++i) {
    lreg[7][i] = i & 1;  // A from LReg 0 or 1
    lreg[0][i] = 0x3F800000;
    lreg[1][i] = 0x40000000;
  }
  // LReg 2 = A * 1 + 0, negated.
  bench.run<op::SFPMAD>({{"lreg_src_a", 5},
                         {"lreg_src_b", 10},
                         {"lreg_src_c", 9},
                         {"lreg_dest", 2},
                         {"instr_mod1", 4 | 1}});
  EXPECT_EQ(lreg[2][0], 0xBF800000u);
  EXPECT_EQ(lreg[2][1], 0xC0000000u);
  for (u32 i = 0; i < kLanes; ++i) lreg[7][i] = i % 4 == 0 ? 3 : 12;  // 12 cannot be written
  bench.run<op::SFPADDI>({{"imm16_math", 0x3F80}, {"lreg_dest", 2}, {"instr_mod1", 8}});
  EXPECT_EQ(lreg[3][0], 0x00000000u);
  EXPECT_EQ(lreg[3][4], 0x00000000u);
  EXPECT_EQ(lreg[2][0], 0xBF800000u);
  bench.run<op::SFPADDI>({{"imm16_math", 0x4040}, {"lreg_dest", 2}, {"instr_mod1", 8}});
  EXPECT_EQ(lreg[3][8], 0x40000000u);
  EXPECT_EQ(lreg[3][1], 0u);
}

TEST(SfpuMove, dest_index_with_other_writers_of_lreg_4_to_7_is_diagnosed) {
  UnitBench bench;
  set_lane_config(bench, kEnableDestIndex);
  bench.run<op::SFPNOT>({{"lreg_dest", 3}});
  EXPECT_FALSE(bench.faulted(Rule::SfpuDestIndex));
  bench.run<op::SFPNOT>({{"lreg_dest", 4}});
  EXPECT_TRUE(bench.faulted(Rule::SfpuDestIndex));
}

}  // namespace
}  // namespace bhemu::tensix
