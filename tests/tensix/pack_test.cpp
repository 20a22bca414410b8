// PACR and PACR_SETREG on their own: Dst addresses, interfaces, masks, streams in L1, faults.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "numeric/format_accumulate.hpp"
#include "numeric/format_pack.hpp"
#include "tensix/pack_bench.hpp"

namespace bhemu::tensix {
namespace {

TEST_F(Pack, a_bf16_tile_of_four_faces_lies_in_l1_face_after_face) {
  apply(Format::Bf16, Format::Bf16, false);
  fill_dst_bf16(64);
  for (u32 face = 0; face < 4; ++face) {
    for (u32 group = 0; group < 3; ++group) EXPECT_EQ(pacr(), Completion::Done);
    pacr({{"addr_mode", 1}, {"last", face == 3}});
  }
  EXPECT_FALSE(faulted());
  for (u32 i = 0; i < 1024; ++i) EXPECT_EQ(get16(kData + 2 * i), 0x4000 + i);
  EXPECT_EQ(packer().channel[0].y, 0);
  EXPECT_EQ(packer().channel[0].z, 4);
  EXPECT_FALSE(state().packer.open);
}

TEST_F(Pack, fp32_dst_is_rounded_to_bf16) {
  apply(Format::Bf16, Format::Bf16, true);
  put_fp32(0, 0, 0x3F808000);
  put_fp32(3, 15, 0xBF808000);
  put_fp32(1, 1, 0x80000000);
  pacr({{"last", 1}});
  EXPECT_EQ(get16(kData), 0x3F81);
  EXPECT_EQ(get16(kData + 2 * 17), 0x0000);
  EXPECT_EQ(get16(kData + 2 * 63), 0xBF81);
}

TEST_F(Pack, fp8_from_fp32_dst_may_have_bf16_in_the_format_of_dst) {
  apply(Format::Fp16, Format::Fp8, true);
  set<cfg::PCK_DEST_RD_CTRL_Round_10b_mant>(1);
  set<cfg::THCON_SEC0_REG1_Pac_LF8_4b_exp>(1);
  set<cfg::ALU_FORMAT_SPEC_REG2_Dstacc>(static_cast<u32>(Format::Bf16));
  put_fp32(0, 0, 0x3FC00000);  // 1.5
  put_fp32(0, 1, 0xC0000000);  // -2
  put_fp32(0, 2, 0x43E00000);  // 448, the largest
  pacr({{"last", 1}});
  EXPECT_FALSE(faulted());
  EXPECT_EQ(get16(kData), 0xC03C);
  EXPECT_EQ(get16(kData + 2) & 0xFF, 0x7E);
}

TEST_F(Pack, invalid_rows_read_as_zero) {
  apply(Format::Bf16, Format::Bf16, false);
  fill_dst_bf16(4);
  dst().set_valid16(1, false);
  pacr({{"last", 1}});
  EXPECT_EQ(get16(kData + 2 * 15), 0x400F);
  EXPECT_EQ(get16(kData + 2 * 16), 0);
  EXPECT_EQ(get16(kData + 2 * 32), 0x4020);
}

TEST_F(Pack, the_32_bit_view_wraps_as_its_row_map_does) {
  apply(Format::Fp32, Format::Fp32, true);
  // Measured: row index 5, 260, 512, 517, 700, 768, 1000 reads row 5, 260, 256, 261, 444, 256, 488.
  const u32 pairs[][2] = {{5, 5},     {260, 260}, {512, 256}, {517, 261},
                          {700, 444}, {768, 256}, {1000, 488}};
  for (u32 row = 0; row < 512; ++row) put_fp32(row, 0, 0x40000000 + row);
  for (const auto& [index, row] : pairs) {
    set<cfg::DEST_TARGET_REG_CFG_PACK_SEC0_Offset>(index);
    pacr({{"read_intf_sel", 1}, {"last", 1}, {"addr_mode", 2}});
    EXPECT_EQ(get32(kData), 0x40000000 + row) << index;
  }
}

TEST_F(Pack, interfaces_select_rows_in_increasing_order) {
  apply(Format::Bf16, Format::Bf16, false);
  fill_dst_bf16(8);
  const struct {
    u32 mask;
    std::vector<u32> rows;
  } cases[] = {{0, {0, 1, 2, 3}}, {15, {0, 1, 2, 3}}, {1, {0}},     {3, {0, 1}},
               {7, {0, 1, 2}},    {5, {0, 2}},        {10, {1, 3}}, {8, {3}}};
  for (const auto& c : cases) {
    std::memset(l1.data() + kData, 0x77, 160);
    pacr({{"read_intf_sel", c.mask}, {"last", 1}, {"addr_mode", 2}});
    for (u32 i = 0; i < c.rows.size(); ++i)
      EXPECT_EQ(get16(kData + 32 * i), 0x4000 + 16 * c.rows[i]) << c.mask;
    EXPECT_EQ(get16(kData + 32 * static_cast<u32>(c.rows.size())), 0x7777) << c.mask;
  }
  EXPECT_FALSE(faulted());
}

TEST_F(Pack, strided_access_reads_the_same_row_of_each_face) {
  apply(Format::Bf16, Format::Bf16, false);
  set<cfg::DEST_ACCESS_CFG_remap_addrs>(1);
  set<cfg::DEST_ACCESS_CFG_swizzle_32b>(1);
  fill_dst_bf16(128);
  packer().channel[0].y = 3;
  packer().channel[0].w = 1;
  pacr({{"dst_access_mode", 1}, {"last", 1}});
  for (u32 i = 0; i < 4; ++i) EXPECT_EQ(get16(kData + 32 * i), 0x4000 + 16 * (64 + 3 + 16 * i));
}

TEST_F(Pack, strided_access_without_remap_reads_rows_eight_apart) {
  apply(Format::Bf16, Format::Bf16, false);
  fill_dst_bf16(64);
  packer().channel[0].y = 4;
  pacr({{"dst_access_mode", 1}, {"last", 1}});
  for (u32 i = 0; i < 4; ++i) EXPECT_EQ(get16(kData + 32 * i), 0x4000 + 16 * (4 + 8 * i));
  // Remap moves rows 16 apart to just those places, so that is what kernels see.
  packer().channel[0].y = 4;
  set<cfg::DEST_ACCESS_CFG_remap_addrs>(1);
  fill_dst_bf16(64);
  pacr({{"dst_access_mode", 1}, {"last", 1}, {"read_intf_sel", 10}});
  EXPECT_EQ(get16(kData), 0x4000 + 16 * 20);
  EXPECT_EQ(get16(kData + 32), 0x4000 + 16 * 52);
  EXPECT_FALSE(faulted());
  apply(Format::Fp32, Format::Fp32, true);
  pacr({{"dst_access_mode", 1}, {"last", 1}});
  EXPECT_TRUE(faulted(Rule::PackStrided));
}

TEST_F(Pack, x_counters_select_columns_of_the_row) {
  apply(Format::Bf16, Format::Bf16, false);
  set<cfg::PCK0_ADDR_CTRL_XY_REG_0_Xstride>(2);
  fill_dst_bf16(4);
  packer().channel[0].x = 4;
  packer().channel[1].x = 11;
  pacr({{"last", 1}});
  for (u32 i = 0; i < 32; ++i) EXPECT_EQ(get16(kData + 2 * i), 0x4000 + 16 * (i / 8) + 4 + i % 8);
}

// ADCs.md of 2026: Blackhole's Z has 13 bits, and all of them are in the address in Dst.
TEST_F(Pack, z_of_the_source_counts_with_all_13_bits) {
  apply(Format::Bf16, Format::Bf16, false);
  set<cfg::PCK0_ADDR_CTRL_ZW_REG_0_Zstride>(32);  // a row
  put_bf16(0x104, 0, 0x4104);
  packer().channel[0].z = 0x104;
  pacr({{"last", 1}});
  EXPECT_FALSE(faulted());
  EXPECT_EQ(get16(kData), 0x4104);
}

TEST_F(Pack, address_modifiers_clear_carry_and_increment_both_channels) {
  apply(Format::Bf16, Format::Bf16, false);
  AdcChannel& in = packer().channel[0];
  AdcChannel& out = packer().channel[1];
  // Section 2: Ysrc CR by 3, Ydst increment 5, Zsrc increment, Zdst clear.
  state().cfg.thread[0][39] = 3 | 1u << 4 | 5u << 6 | 1u << 12 | 1u << 15;
  in.y = 100;
  in.y_cr = 8;
  out.y = 0x1FFE;
  out.z = 9;
  out.z_cr = 9;
  in.z = 0x1FFF;
  pacr({{"addr_mode", 2}, {"flush", 1}});
  EXPECT_EQ(in.y, 11);
  EXPECT_EQ(in.y_cr, 11);
  EXPECT_EQ(out.y, 3);
  EXPECT_EQ(in.z, 0);
  EXPECT_EQ(out.z, 0);
  EXPECT_EQ(out.z_cr, 0);
}

TEST_F(Pack, the_destination_is_formed_once_per_tile_from_channel_1) {
  apply(Format::Bf16, Format::Bf16, false);
  fill_dst_bf16(8);
  set<cfg::PCK0_ADDR_CTRL_XY_REG_1_Ystride>(48);
  set<cfg::PCK0_ADDR_BASE_REG_1_Base>(32);
  packer().channel[1].y = 3;
  pacr({{"read_intf_sel", 1}});
  packer().channel[1].y = 100;
  packer().channel[0].y = 1;
  pacr({{"read_intf_sel", 1}, {"last", 1}});
  const u32 at = kData + 3 * 48 + 32;
  EXPECT_EQ(get16(at), 0x4000);
  EXPECT_EQ(get16(at + 32), 0x4010);
}

TEST_F(Pack, header_offset_limit_and_tdma_offset_move_the_destination) {
  apply(Format::Bf16, Format::Bf16, false);
  fill_dst_bf16(4);
  set<cfg::THCON_SEC0_REG1_Sub_l1_tile_header_size>(1);
  set<cfg::THCON_SEC0_REG1_Add_l1_dest_addr_offset>(1);
  state().packer.l1_address_offset = 0x30;
  pacr({{"last", 1}});
  EXPECT_EQ(get16((kTarget + 0x30) * 16), 0x4000);
  set<cfg::THCON_SEC0_REG9_Pack_0_2_limit_address>(kTarget / 2);
  set<cfg::THCON_SEC0_REG9_Pack_0_2_fifo_size>(0x80);
  packer().channel[0].y = 0;
  pacr({{"last", 1}});
  EXPECT_EQ(get16((kTarget + 0x30 - 0x100) * 16), 0x4000);
}

TEST_F(Pack, a_closed_tile_is_padded_with_zeros_to_whole_blocks) {
  apply(Format::Bf16, Format::Bfp2, false);
  set<cfg::THCON_SEC0_REG1_Exp_section_size>(1);
  std::memset(l1.data() + kData, 0x77, 64);
  for (u32 c = 0; c < 16; ++c) put_bf16(0, c, 0x3F80);
  pacr({{"read_intf_sel", 1}});
  EXPECT_EQ(get8(kData), 0x77);  // still in the packer's block
  close();
  EXPECT_EQ(get8(kData), 0x7F);
  for (u32 i = 1; i < 16; ++i) EXPECT_EQ(get8(kData + i), 0) << i;
  EXPECT_EQ(get32(kData + 16), 0x55555555u);
  for (u32 i = 20; i < 32; ++i) EXPECT_EQ(get8(kData + i), 0) << i;
  EXPECT_EQ(get8(kData + 32), 0x77);
}

TEST_F(Pack, bfp8_puts_one_exponent_per_sixteen_datums_into_its_section) {
  apply(Format::Bf16, Format::Bfp8, false);
  for (u32 r = 0; r < 64; ++r) put_bf16(r, r % 16, (100 + r) << 7);
  for (u32 group = 0; group < 16; ++group) pacr({{"last", group == 15}});
  for (u32 r = 0; r < 64; ++r) {
    EXPECT_EQ(get8(kData + r), 100 + r);
    for (u32 c = 0; c < 16; ++c) EXPECT_EQ(get8(kData + 64 + 16 * r + c), c == r % 16 ? 0x40 : 0);
  }
}

TEST_F(Pack, half_rows_fill_a_group_across_instructions) {
  apply(Format::Bf16, Format::Bfp8, false);
  packer().channel[1].x = 7;
  for (u32 c = 0; c < 8; ++c) put_bf16(0, c, 0x3F80);
  for (u32 c = 0; c < 8; ++c) put_bf16(4, c, 0x4000);
  pacr({{"read_intf_sel", 1}});
  pacr({{"read_intf_sel", 1}, {"last", 1}});
  EXPECT_FALSE(faulted());
  EXPECT_EQ(get8(kData), 0x80);
  EXPECT_EQ(get8(kData + 64), 0x20);
  EXPECT_EQ(get8(kData + 64 + 8), 0x40);
  packer().channel[0].y = 0;
  pacr({{"read_intf_sel", 1}, {"last", 1}});
  EXPECT_TRUE(faulted(Rule::PackPartialGroup));
}

TEST_F(Pack, fp8_and_int8_use_one_byte_and_skip_the_exponent_section) {
  apply(Format::Int8, Format::Int8, true);
  set<cfg::THCON_SEC0_REG1_Exp_section_size>(2);
  put_fp32(0, 0, 0x80000005);
  put_fp32(0, 1, 300);
  pacr({{"last", 1}});
  EXPECT_EQ(get8(kData + 32), 0x85);
  EXPECT_EQ(get8(kData + 33), 0x7F);
}

TEST_F(Pack, row_sets_choose_the_edge_mask_of_each_row) {
  apply(Format::Bf16, Format::Bf16, false);
  fill_dst_bf16(16);
  set<cfg::PCK_EDGE_TILE_ROW_SET_SELECT_select>(1);
  set_word(21, 2u << 2 | 3u << 4);  // row set 1: rows 0.. use mask 0, 2, 3, 0, ...
  set<cfg::PCK_EDGE_OFFSET_SEC2_mask>(0x00FF);
  set<cfg::PCK_EDGE_OFFSET_SEC3_mask>(0);
  pacr({{"last", 1}});
  EXPECT_EQ(get16(kData + 2 * 15), 0x400F);
  EXPECT_EQ(get16(kData + 2 * (16 + 7)), 0x4017);
  EXPECT_EQ(get16(kData + 2 * (16 + 8)), 0);
  EXPECT_EQ(get16(kData + 2 * 32), 0);
  EXPECT_EQ(get16(kData + 2 * 48), 0x4030);
}

TEST_F(Pack, edge_masks_can_write_minus_infinity_which_relu_clears) {
  apply(Format::Bf16, Format::Bf16, false);
  fill_dst_bf16(4);
  set<cfg::PCK_EDGE_OFFSET_SEC0_mask>(0x0001);
  set<cfg::PCK_EDGE_MODE_mode>(1);
  pacr({{"last", 1}, {"addr_mode", 2}});
  EXPECT_EQ(get16(kData), 0x4000);
  EXPECT_EQ(get16(kData + 2), 0xFF80);
  set<cfg::STACC_RELU_ApplyRelu>(1);
  pacr({{"last", 1}});
  EXPECT_EQ(get16(kData), 0x4000);
  EXPECT_EQ(get16(kData + 2), 0);
}

TEST_F(Pack, face_sets_choose_the_row_set_by_plane) {
  apply(Format::Bf16, Format::Bf16, false);
  fill_dst_bf16(64);
  set<cfg::PACK_COUNTERS_SEC0_pack_reads_per_xy_plane>(4);
  set<cfg::PCK_EDGE_TILE_FACE_SET_SELECT_enable>(1);
  set<cfg::PCK_EDGE_TILE_FACE_SET_SELECT_select>(2);
  set<cfg::DEST_TARGET_REG_CFG_PACK_SEC0_ZOffset>(5);
  set_word(38, 1u << (2 * 6));  // plane 6, the second one, uses row set 1
  set_word(21, 0x55555555);     // all of its rows use mask 1
  set<cfg::PCK_EDGE_OFFSET_SEC1_mask>(0);
  for (u32 i = 0; i < 3; ++i) pacr({{"last", i == 2}});
  EXPECT_EQ(get16(kData), 0x4000);
  EXPECT_EQ(get16(kData + 128), 0);
  EXPECT_EQ(get16(kData + 256), 0x4000 + 16 * 8);
}

TEST_F(Pack, the_tile_position_starts_over_only_on_landing_exactly) {
  apply(Format::Bf16, Format::Bf16, false);
  fill_dst_bf16(64);
  set<cfg::PACK_COUNTERS_SEC0_pack_reads_per_xy_plane>(6);
  // Row 0 of each plane is masked.
  set_word(20, 1);
  set<cfg::PCK_EDGE_OFFSET_SEC1_mask>(0);
  for (u32 i = 0; i < 3; ++i) pacr();
  close();
  for (u32 row = 0; row < 12; ++row)
    EXPECT_EQ(get16(kData + 32 * row), row % 6 == 0 ? 0 : 0x4000 + 16 * row) << row;
  set<cfg::PACK_COUNTERS_SEC0_pack_reads_per_xy_plane>(0);
  packer().channel[0].y = 0;
  for (u32 i = 0; i < 5; ++i) pacr();
  close();
  for (u32 row = 0; row < 20; ++row)
    EXPECT_EQ(get16(kData + 32 * row), row % 16 == 0 ? 0 : 0x4000 + 16 * row) << row;
}

TEST_F(Pack, the_last_pacr_of_a_plane_reads_only_the_rows_left) {
  apply(Format::Bf16, Format::Bf16, false);
  fill_dst_bf16(8);
  set<cfg::PACK_COUNTERS_SEC0_pack_reads_per_xy_plane>(6);
  set<cfg::THCON_SEC0_REG1_Auto_set_last_pacr_intf_sel>(1);
  std::memset(l1.data() + kData, 0x77, 256);
  pacr();
  pacr({{"last", 1}});
  EXPECT_EQ(get16(kData + 32 * 5), 0x4050);
  EXPECT_EQ(get16(kData + 32 * 6), 0x7777);
}

TEST_F(Pack, downsampling_keeps_the_datums_of_the_mask) {
  apply(Format::Bf16, Format::Bf16, false);
  fill_dst_bf16(4);
  set<cfg::THCON_SEC0_REG1_Downsample_mask>(0x1111);
  pacr({{"last", 1}});
  for (u32 i = 0; i < 16; ++i) EXPECT_EQ(get16(kData + 2 * i), 0x4000 + 4 * i);
}

TEST_F(Pack, exponent_threshold_clears_small_values_and_statistics_see_them) {
  apply(Format::Fp32, Format::Fp32, true);
  set<cfg::THCON_SEC0_REG1_Exp_threshold_en>(1);
  set<cfg::THCON_SEC0_REG1_Exp_threshold>(113);
  set_thread<thread_cfg::ENABLE_ACC_STATS_Enable>(1, 2);
  put_fp32(0, 0, 112u << 23);
  put_fp32(0, 1, 113u << 23);
  put_fp32(0, 2, 0x80000000);
  pacr({{"read_intf_sel", 1}, {"last", 1}});
  EXPECT_EQ(get32(kData), 0u);
  EXPECT_EQ(get32(kData + 4), 113u << 23);
  EXPECT_EQ(get32(kData + 8), 0u);
  EXPECT_EQ(state().packer.max_exponent, 113);
  EXPECT_EQ(state().packer.exponent_histogram[112 % 32], 1);
  EXPECT_EQ(state().packer.exponent_histogram[113 % 32], 1);
  EXPECT_EQ(state().packer.exponent_histogram[0], 14);
  run<op::CLREXPHIST>();
  EXPECT_EQ(state().packer.max_exponent, 0);
  EXPECT_EQ(state().packer.exponent_histogram[0], 0);
}

TEST_F(Pack, accumulation_adds_to_what_l1_holds_and_masked_datums_add_zero) {
  apply(Format::Bf16, Format::Bf16, false);
  set<cfg::THCON_SEC0_REG1_Pack_L1_Acc>(1);
  set<cfg::PCK_EDGE_OFFSET_SEC0_mask>(0x0001);
  packer().channel[1].x = 7;
  for (u32 i = 0; i < 8; ++i) put16(kData + 2 * i, 0x3F3F);
  put_bf16(0, 0, 0x3F80);
  put_bf16(0, 1, 0x3F80);
  pacr({{"read_intf_sel", 1}, {"last", 1}});
  EXPECT_FALSE(faulted());
  EXPECT_EQ(get16(kData), 0x3FE0);  // measured
  for (u32 i = 1; i < 8; ++i) EXPECT_EQ(get16(kData + 2 * i), 0x3F3F);
}

TEST_F(Pack, accumulation_works_in_each_of_its_formats) {
  const struct {
    Format format;
    bool read_32b;
    u32 before, value, after;
  } cases[] = {{Format::Fp32, true, 0x3F800000, 0x40000000, 0x40400000},
               {Format::Bf16, false, 0x3F80, 0x4000, 0x4040},
               {Format::Fp16, false, 0x0400, 0x8401, 0xFFFF},
               {Format::Int32, true, 1000, 234, 1234}};
  for (const auto& c : cases) {
    apply(c.format, c.format, c.read_32b);
    set<cfg::THCON_SEC0_REG1_Pack_L1_Acc>(1);
    std::memset(l1.data() + kData, 0, 256);
    put32(kData, c.before);
    if (c.read_32b)
      put_fp32(0, 0, c.value);
    else if (c.format == Format::Bf16)
      put_bf16(0, 0, c.value);
    else
      dst().write16(0, 0, numeric::dst_from_fp16(static_cast<u16>(c.value)));
    pacr({{"last", 1}, {"addr_mode", 2}});
    EXPECT_EQ(c.read_32b ? get32(kData) : get16(kData), c.after) << name_of(c.format);
  }
  EXPECT_FALSE(faulted());
  apply(Format::Int16, Format::Int16, false);
  pacr();
  EXPECT_TRUE(faulted(Rule::PackAccumulate));
}

TEST_F(Pack, accumulation_of_int32_warns_where_the_sum_is_not_documented) {
  apply(Format::Int32, Format::Int32, true);
  set<cfg::THCON_SEC0_REG1_Pack_L1_Acc>(1);
  std::memset(l1.data() + kData, 0, 256);
  put32(kData, 7);
  put_fp32(0, 0, 0x80000003);  // -3
  pacr({{"last", 1}, {"addr_mode", 2}});
  EXPECT_TRUE(faulted(Rule::PackAccumulateSign));
  EXPECT_EQ(get32(kData), 4u);
}

TEST_F(Pack, zero_write_packs_zeros_whatever_dst_holds) {
  apply(Format::Bf16, Format::Bf16, false);
  fill_dst_bf16(4);
  std::memset(l1.data() + kData, 0x77, 128);
  pacr({{"zero_write", 1}, {"read_intf_sel", 15}, {"last", 1}});
  for (u32 i = 0; i < 64; ++i) EXPECT_EQ(get16(kData + 2 * i), 0);
}

TEST_F(Pack, datums_can_come_from_l1) {
  apply(Format::Bf16, Format::Fp32, false);
  set<cfg::THCON_SEC0_REG1_Source_interface_selection>(1);
  set<cfg::THCON_SEC0_REG1_L1_source_addr>(1);
  set<cfg::PCK0_ADDR_BASE_REG_0_Base>(0x1230);
  set_word(12, 0);
  for (u32 i = 0; i < 16; ++i) put16((1u << 18) + 0x1230 + 2 * i, static_cast<u16>(0xBF80 + i));
  packer().channel[0].x = 2;
  packer().channel[1].x = 9;
  pacr({{"read_intf_sel", 1}, {"last", 1}});
  EXPECT_FALSE(faulted());
  for (u32 i = 0; i < 8; ++i) EXPECT_EQ(get32(kData + 4 * i), (0xBF82u + i) << 16);
}

TEST_F(Pack, tdma_sees_sizes_of_closed_tiles_by_thread) {
  apply(Format::Bf16, Format::Bfp8, false);
  set<cfg::THCON_SEC0_REG1_Enable_out_fifo>(1);
  set<cfg::THCON_SEC0_REG1_Add_tile_header_size>(1);
  for (u32 i = 0; i < 16; ++i) pacr({{"last", i == 15}});
  const PackerState& packer = state().packer;
  EXPECT_EQ(packer.last_tile_size, 68u);  // 4 + 64 units
  EXPECT_EQ(packer.last_thread, 0);
  EXPECT_EQ(packer.accumulated_size[0], 69u);
  EXPECT_EQ(packer.closed_tail - packer.closed_head, 1u);
  EXPECT_EQ(packer.closed_sizes[packer.closed_head], 68u);
}

TEST_F(Pack, the_metadata_fifo_keeps_its_oldest_sizes_when_full) {
  apply(Format::Bf16, Format::Bf16, false);
  set<cfg::THCON_SEC0_REG1_Enable_out_fifo>(1);
  for (u32 i = 0; i < kPackMetadataFifo + 2; ++i)
    pacr({{"last", 1}, {"read_intf_sel", i == 0 ? 1u : 0u}, {"addr_mode", 2}});
  const PackerState& packer = state().packer;
  EXPECT_EQ(packer.closed_tail - packer.closed_head, kPackMetadataFifo);
  EXPECT_EQ(packer.closed_sizes[0], 2u);
  EXPECT_EQ(packer.accumulated_size[0], 2u + 8u * (kPackMetadataFifo + 1));
}

TEST_F(Pack, the_override_takes_counters_of_the_named_thread) {
  apply(Format::Bf16, Format::Bf16, false);
  fill_dst_bf16(8);
  adc(AdcUnit::Packer, 1).channel[0].y = 4;
  adc(AdcUnit::Packer, 1).channel[1].x = 15;
  pacr({{"ovrd_thread_id", 1}, {"addr_cnt_context", 1}, {"last", 1}});
  EXPECT_EQ(get16(kData), 0x4040);
  EXPECT_EQ(adc(AdcUnit::Packer, 1).channel[0].y, 8);
  EXPECT_EQ(packer().channel[0].y, 0);
}

TEST_F(Pack, setreg_writes_the_data_set_before_to_one_of_four_registers) {
  apply(Format::Bf16, Format::Bf16, false);
  // Address 3: bits 19:18 are 1, bits 11:2 are 0x10.
  set<cfg::THCON_SEC1_REG10_Packer_Reg_Wr_Addr>((1u << 10 | 0x10u) << 12);
  const auto set_half = [&](u32 half, u32 value) {
    Context context = this->context();
    context.word = encode<op::PACR_SETREG>({{"mode_sel", 1}}) | value << 3 | half << 2;
    execute(context, op::PACR_SETREG{context.word});
  };
  set_half(0, 0xBEEF);
  set_half(1, 0xDEAD);
  EXPECT_TRUE(registers.empty());
  run<op::PACR_SETREG>({{"push", 1}, {"addr_sel", 3}, {"flush", 1}, {"stream_id", 2}});
  EXPECT_FALSE(faulted());
  EXPECT_EQ(registers[0xFFB42040], 0xDEADBEEFu);
  run<op::PACR_SETREG>({{"push", 1}, {"addr_sel", 0}, {"flush", 1}, {"stream_id", 2}});
  EXPECT_TRUE(faulted(Rule::PackSetReg)) << "0xFFB02000";
}

TEST_F(Pack, what_the_documents_leave_open_faults_by_name) {
  const auto expect = [&](Rule rule, std::initializer_list<FieldValue> fields, auto change) {
    first_pacr(fields, change);
    EXPECT_TRUE(faulted(rule)) << info_of(rule).name;
    EXPECT_EQ(packer().channel[0].y, info_of(rule).severity == Severity::Error ? 0 : 4);
  };
  const auto nothing = [] {};
  expect(Rule::PackUndocumented, {}, [&] { set<cfg::PACK_COUNTERS_SEC0_pack_per_xy_plane>(1); });
  expect(Rule::PackUndocumented, {}, [&] { set<cfg::THCON_SEC0_REG1_pack_start_intf_pos>(1); });
  expect(Rule::PackTrackedContext, {{"ctxt_ctrl", 1}}, nothing);
  expect(Rule::PackCompression, {}, [&] { set<cfg::THCON_SEC0_REG1_Disable_zero_compress>(0); });
  expect(Rule::PackFormatMismatch, {}, [&] { set<cfg::ALU_FORMAT_SPEC_REG2_Dstacc>(0); });
  expect(Rule::PackFormatPath, {},
         [&] { set<cfg::THCON_SEC0_REG1_Out_data_format>(code(Format::Int8)); });
  expect(Rule::PackStochastic, {}, [&] {
    apply(Format::Bf16, Format::Bf16, true);
    set<cfg::ALU_ROUNDING_MODE_Gasket_srnd_en>(1);
  });
  expect(Rule::PackRelu, {}, [&] {
    set<cfg::STACC_RELU_ApplyRelu>(2);
    set<cfg::STACC_RELU_ReluThreshold>(0xBF80);
  });
  expect(Rule::PackXRange, {}, [&] { packer().channel[1].x = 16; });
  expect(Rule::PackL1Range, {}, [&] { set<cfg::THCON_SEC0_REG1_L1_Dest_addr>(kL1Size / 16); });
  expect(Rule::PackInterfaces, {}, [&] { set<cfg::DEST_TARGET_REG_CFG_PACK_SEC0_Offset>(2); });
}

TEST_F(Pack, a_new_output_format_inside_a_tile_faults) {
  apply(Format::Bf16, Format::Bf16, false);
  pacr();
  set<cfg::THCON_SEC0_REG1_Out_data_format>(code(Format::Fp32));
  pacr();
  EXPECT_TRUE(faulted(Rule::PackFormatChange));
}

TEST_F(Pack, unpack_to_dst_then_pack_gives_the_tile_back) {
  apply(Format::Bf16, Format::Bf16, false);
  const u32 source = 0x8000;
  set_word(64, code(Format::Bf16) | 1u << 4 | 256u << 16);
  set_word(65, 1 | 4u << 16);
  set<cfg::THCON_SEC0_REG2_Out_data_format>(code(Format::Bf16));
  set_word(73, 0x000F00FF);
  set_word(76, source / 16 - 1);
  set_word(84, 64);
  set_word(86, 256);
  set<cfg::UNP0_ADDR_CTRL_ZW_REG_1_Zstride>(512);
  adc(AdcUnit::Unpacker0).channel[1].x = 255;
  std::mt19937 random(5);
  for (u32 i = 0; i < 1024; ++i)  // normal numbers survive the packer's flush
    put16(source + 2 * i, static_cast<u16>((random() & 0x807F) | (1 + random() % 254) << 7));
  for (u32 face = 0; face < 4; ++face)
    run<op::UNPACR>({{"ovrd_thread_id", 1}, {"addr_mode", 1u << 4 | 1u}, {"last", 1}});
  for (u32 i = 0; i < 16; ++i) pacr({{"last", i == 15}});
  EXPECT_FALSE(faulted());
  for (u32 i = 0; i < 1024; ++i) EXPECT_EQ(get16(kData + 2 * i), get16(source + 2 * i)) << i;
}

TEST_F(Pack, integer_descale_can_be_the_same_for_all_planes_or_one_for_each) {
  constexpr u32 kFirst = cfg::INT_DESCALE_VALUES_SEC0_Value::kWord;
  apply(Format::Int8, Format::Int8, true);
  set<cfg::INT_DESCALE_Enable>(1);
  set<cfg::INT_DESCALE_Mode>(1);
  for (u32 i = 0; i < 16; ++i) set_word(kFirst + i, 0x04040404);
  put_fp32(0, 0, 0x80000058);  // magnitude 0x58, half away from zero: 0x5.8 becomes 6
  put_fp32(0, 1, 0x00000047);
  pacr({{"last", 1}});
  EXPECT_FALSE(faulted());
  EXPECT_EQ(get8(kData), 0x86);
  EXPECT_EQ(get8(kData + 1), 0x04);
  set_word(kFirst + 9, 0x04040504);  // plane 37 shifts by 5
  set<cfg::DEST_TARGET_REG_CFG_PACK_SEC0_ZOffset>(36);
  set<cfg::PACK_COUNTERS_SEC0_pack_reads_per_xy_plane>(4);
  for (u32 row = 0; row < 8; ++row) put_fp32(row, 0, 0x58);
  packer().channel[0].y = 0;
  pacr();
  pacr({{"last", 1}});
  EXPECT_TRUE(faulted(Rule::PackDescalePlane));
  EXPECT_EQ(get8(kData), 0x06) << "plane 36";
  EXPECT_EQ(get8(kData + 64), 0x03) << "plane 37";
}

TEST_F(Pack, every_word_that_a_path_follows_from_takes_effect_at_once) {
  apply(Format::Bf16, Format::Bf16, false);
  put_bf16(0, 0, 0xBF81);
  const auto packed = [&] {
    packer().channel[0].y = 0;
    pacr({{"last", 1}});
    EXPECT_FALSE(faulted());
    return get32(kData);
  };
  EXPECT_EQ(packed(), 0xBF81u);
  set<cfg::STACC_RELU_ApplyRelu>(1);
  EXPECT_EQ(packed(), 0x0000u);
  set<cfg::STACC_RELU_ApplyRelu>(0);
  set<cfg::THCON_SEC0_REG1_Out_data_format>(code(Format::Fp32));
  EXPECT_EQ(packed(), 0xBF810000u);
  set<cfg::ALU_FORMAT_SPEC_REG2_Dstacc>(code(Format::Bfp8));
  set<cfg::THCON_SEC0_REG1_In_data_format>(code(Format::Bfp8));
  EXPECT_EQ(packed(), 0xBF820000u);
  set<cfg::PCK_DEST_RD_CTRL_Read_int8>(1);  // raw
  EXPECT_EQ(packed(), 0xBF810000u);
  set<cfg::THCON_SEC0_REG1_Exp_threshold_en>(1);
  set<cfg::THCON_SEC0_REG1_Exp_threshold>(0x80);
  EXPECT_EQ(packed(), 0u);
}

}  // namespace
}  // namespace bhemu::tensix
