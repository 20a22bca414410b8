// Modes of PACR beyond the common path: contexts, padding, zeros without interfaces.
#include "tensix/pack_bench.hpp"
#include "tensix/prng.hpp"

namespace bhemu::tensix {
namespace {

class PackModes : public Pack {
 protected:
  static constexpr u32 kWordOfSet[4] = {68, 96, 116, 144};

  /// The four words of one register set, as set 0 has them, with another destination.
  void copy_set(u32 set, u32 destination) {
    for (u32 i = 0; i < 4; ++i) set_word(kWordOfSet[set] + i, state().cfg.bank[0][68 + i]);
    set_word(kWordOfSet[set] + 1, destination);
    set_word(28 + set, state().cfg.bank[0][28]);
  }
  u16 datum(u32 index) const { return get16(kData + 2 * index); }
};

TEST_F(PackModes, tf32_by_rounding_goes_on_as_tf32) {
  const struct {
    Format intermediate, out;
    u32 value, result;
  } cases[] = {{Format::Tf32, Format::Tf32, 0x3F801000, 0x3F802000},
               {Format::Fp32, Format::Tf32, 0x3F801000, 0x3F802000},
               {Format::Fp32, Format::Fp32, 0xBF800FFF, 0xBF800000},
               {Format::Bf16, Format::Fp16, 0x3F801000, 0x3C01}};
  for (const auto& c : cases) {
    apply(c.intermediate, c.out, true);
    set<cfg::THCON_SEC0_REG1_In_data_format>(static_cast<u32>(Format::Tf32));
    set<cfg::PCK_DEST_RD_CTRL_Round_10b_mant>(1);
    put_fp32(0, 0, c.value);
    pacr({{"last", 1}, {"addr_mode", 2}});
    EXPECT_EQ(c.out == Format::Fp16 ? get16(kData) : get32(kData), c.result);
  }
  EXPECT_FALSE(faulted());
  apply(Format::Fp32, Format::Fp32, true);
  set<cfg::THCON_SEC0_REG1_In_data_format>(static_cast<u32>(Format::Tf32));
  set<cfg::PCK_DEST_RD_CTRL_Round_10b_mant>(0);
  pacr({{"last", 1}});  // nothing has rounded
  EXPECT_TRUE(faulted(Rule::PackFormatMismatch));
}

TEST_F(PackModes, each_configuration_context_has_its_own_register_set) {
  apply(Format::Bf16, Format::Bf16, false);
  fill_dst_bf16(64);
  for (u32 set = 1; set < 4; ++set) {
    copy_set(set, 0x500 + 0x20 * set);
    set_word(180 + set, 4 * set);  // DEST_TARGET_REG_CFG_PACK_SECn: its own rows
  }
  for (u32 set = 0; set < 4; ++set) {
    const u32 at = set == 0 ? kData : (0x500 + 0x20 * set + 1) * 16;
    pacr({{"cfg_context", set}, {"last", 1}, {"addr_mode", 2}});
    EXPECT_EQ(get16(at), 0x4000 + 64 * set) << set;
    EXPECT_EQ(get16(at + 126), 0x4000 + 64 * set + 63) << set;
  }
  EXPECT_FALSE(faulted());
}

TEST_F(PackModes, contexts_have_their_own_formats_limits_and_edge_row_sets) {
  apply(Format::Bf16, Format::Bf16, false);
  fill_dst_bf16(4);
  copy_set(3, 0x600);
  set<cfg::THCON_SEC1_REG8_Out_data_format>(code(Format::Fp32));
  set<cfg::THCON_SEC1_REG9_Pack_1_3_limit_address>(0x300 - 1);
  set<cfg::THCON_SEC1_REG9_Pack_1_3_fifo_size>(0x80);
  set<cfg::PCK_EDGE_TILE_ROW_SET_SELECT_select>(2u << 6);
  set_word(22, 0x55555555);  // row set 2: mask 1 for every row
  set<cfg::PCK_EDGE_OFFSET_SEC1_mask>(0x0002);
  pacr({{"cfg_context", 3}, {"last", 1}});
  const u32 at = (0x601 - 0x100) * 16;
  EXPECT_EQ(get32(at), 0u);
  EXPECT_EQ(get32(at + 4), 0x40010000u);
  EXPECT_EQ(get32(at + 8), 0u);
}

TEST_F(PackModes, the_tracked_context_moves_on_at_the_end_of_a_tile) {
  apply(Format::Bf16, Format::Bf16, false);
  fill_dst_bf16(64);
  for (u32 set = 1; set < 4; ++set) copy_set(set, 0x500 + 0x20 * set);
  for (u32 tile = 0; tile < 5; ++tile) {
    EXPECT_EQ(state().packer.context, tile & 3);
    pacr({{"ctxt_ctrl", 1}});
    EXPECT_EQ(state().packer.context, tile & 3);
    pacr({{"ctxt_ctrl", 3}, {"last", 1}, {"addr_mode", 1}});
  }
  EXPECT_EQ(get16((0x500 + 0x60 + 1) * 16), 0x4300) << "tile 3 in set 3";
  EXPECT_EQ(state().packer.context, 1);
  const AdcChannel before = packer().channel[0];
  pacr({{"ctxt_ctrl", 2}, {"last", 1}});
  EXPECT_EQ(state().packer.context, 0);
  EXPECT_EQ(packer().channel[0].y, before.y) << "a reset does nothing else";
}

TEST_F(PackModes, the_tracked_context_moves_on_after_the_programmed_planes) {
  apply(Format::Bf16, Format::Bf16, false);
  fill_dst_bf16(64);
  set<cfg::PACK_COUNTERS_SEC0_pack_reads_per_xy_plane>(4);
  set<cfg::PACK_COUNTERS_SEC0_auto_ctxt_inc_xys_cnt>(2);
  for (u32 set = 1; set < 4; ++set) copy_set(set, 0x500 + 0x20 * set);
  pacr({{"ctxt_ctrl", 1}, {"last", 1}});
  EXPECT_EQ(state().packer.context, 0);
  pacr({{"ctxt_ctrl", 1}, {"last", 1}});
  EXPECT_EQ(state().packer.context, 1);
}

TEST_F(PackModes, rows_are_padded_to_sixteen_datums) {
  apply(Format::Bf16, Format::Bf16, false);
  fill_dst_bf16(8);
  packer().channel[1].x = 4;  // five datums a row
  pacr({{"row_pad_zero", 1}, {"read_intf_sel", 3}, {"last", 1}, {"addr_mode", 2}});
  for (u32 row = 0; row < 2; ++row)
    for (u32 i = 0; i < 16; ++i)
      EXPECT_EQ(datum(16 * row + i), i < 5 ? 0x4000 + 16 * row + i : 0) << row << ' ' << i;
}

TEST_F(PackModes, padding_of_rows_can_wait_for_the_end_of_a_row_or_a_tile) {
  apply(Format::Bf16, Format::Bf16, false);
  fill_dst_bf16(8);
  packer().channel[1].x = 7;
  pacr({{"row_pad_zero", 2}, {"read_intf_sel", 1}, {"concat", 1}, {"addr_mode", 2}});
  pacr({{"row_pad_zero", 2}, {"read_intf_sel", 1}, {"addr_mode", 2}});
  pacr({{"row_pad_zero", 3}, {"read_intf_sel", 1}, {"addr_mode", 2}});
  pacr({{"row_pad_zero", 3}, {"read_intf_sel", 1}, {"last", 1}, {"addr_mode", 2}});
  // 8 + (8 + 8 zeros) + 8 + (8 + 8 zeros)
  const bool filled[6] = {true, true, false, true, true, false};
  for (u32 i = 0; i < 48; ++i) EXPECT_EQ(datum(i), filled[i / 8] ? 0x4000 + i % 8 : 0) << i;
}

TEST_F(PackModes, cumulative_padding_completes_the_sixteen_datums_begun_since_the_tile_opened) {
  apply(Format::Bf16, Format::Bf16, false);
  fill_dst_bf16(8);
  packer().channel[1].x = 4;
  pacr({{"row_pad_zero", 6}, {"read_intf_sel", 1}, {"concat", 1}, {"addr_mode", 2}});
  pacr({{"row_pad_zero", 5}, {"read_intf_sel", 1}, {"addr_mode", 2}});   // 10 datums, 6 zeros
  pacr({{"row_pad_zero", 7}, {"read_intf_sel", 15}, {"addr_mode", 2}});  // 20 more, none
  pacr({{"row_pad_zero", 7}, {"read_intf_sel", 1}, {"last", 1}});        // 25, 7 zeros
  EXPECT_EQ(datum(4), 0x4004);
  EXPECT_EQ(datum(9), 0x4004);
  for (u32 i = 10; i < 16; ++i) EXPECT_EQ(datum(i), 0);
  EXPECT_EQ(datum(16), 0x4000);
  EXPECT_EQ(datum(16 + 24), 0x4004);
  EXPECT_EQ(datum(16 + 25), 0);
  EXPECT_EQ(state().packer.last_tile_size, 6u);
}

TEST_F(PackModes, padding_lets_a_block_float_tile_end_inside_a_row) {
  apply(Format::Bf16, Format::Bfp8, false);
  for (u32 c = 0; c < 16; ++c) put_bf16(0, c, 0x3F80);
  packer().channel[1].x = 2;
  pacr({{"row_pad_zero", 7}, {"read_intf_sel", 1}, {"last", 1}});
  EXPECT_FALSE(faulted());
  EXPECT_EQ(get8(kData), 0x7F);
  for (u32 i = 0; i < 16; ++i) EXPECT_EQ(get8(kData + 64 + i), i < 3 ? 0x40 : 0) << i;
}

TEST_F(PackModes, zero_write_without_interfaces_packs_as_many_zeros_as_x_counts) {
  apply(Format::Bf16, Format::Bf16, false);
  std::memset(l1.data() + kData, 0x77, 1024);
  packer().channel[1].x = 255;
  pacr({{"zero_write", 1}, {"last", 1}});
  for (u32 i = 0; i < 256; ++i) EXPECT_EQ(datum(i), 0);
  EXPECT_EQ(datum(256), 0x7777);
  EXPECT_FALSE(faulted());
  packer().channel[1].x = 100;
  pacr({{"zero_write", 1}, {"last", 1}});
  EXPECT_TRUE(faulted(Rule::PackXRange));
}

TEST_F(PackModes, fields_that_name_nothing_here_have_no_effect) {
  apply(Format::Bf16, Format::Bf16, false);
  fill_dst_bf16(4);
  set<cfg::THCON_SEC0_REG1_All_pack_disable_zero_compress_ovrd>(1);
  set<cfg::THCON_SEC0_REG1_pack_dis_y_pos_start_offset>(1);
  set<cfg::ALU_ROUNDING_MODE_GS_LF>(1);
  set<cfg::ALU_ROUNDING_MODE_Bfp8_HF>(1);
  pacr({{"addr_cnt_context", 2}, {"last", 1}});  // OvrdThreadId is clear
  EXPECT_FALSE(faulted());
  EXPECT_EQ(datum(0), 0x4000);
}

TEST_F(PackModes, datums_from_l1_go_around_edge_mask_relu_and_threshold) {
  apply(Format::Bf16, Format::Bf16, false);
  set<cfg::THCON_SEC0_REG1_Source_interface_selection>(1);
  set<cfg::PCK0_ADDR_BASE_REG_0_Base>(0x1230);
  set<cfg::PCK_EDGE_OFFSET_SEC0_mask>(0);
  set<cfg::STACC_RELU_ApplyRelu>(1);
  set<cfg::THCON_SEC0_REG1_Exp_threshold_en>(1);
  set<cfg::THCON_SEC0_REG1_Exp_threshold>(0xFF);
  for (u32 i = 0; i < 16; ++i) put16(0x1230 + 2 * i, static_cast<u16>(0xBF80 + i));
  pacr({{"read_intf_sel", 1}, {"last", 1}});
  EXPECT_FALSE(faulted());
  for (u32 i = 0; i < 16; ++i) EXPECT_EQ(datum(i), 0xBF80 + i);
}

class PackStochastic : public Pack {};

TEST_F(PackStochastic, seeded_generators_decide_and_step_on) {
  const auto pack_row = [&](u32 seed) {
    apply(Format::Bf16, Format::Bf16, true);
    set<cfg::ALU_ROUNDING_MODE_Gasket_srnd_en>(1);
    seed_generators(state(), seed);
    for (u32 c = 0; c < 16; ++c) put_fp32(0, c, 0x3F808000);
    std::vector<u16> row;
    for (u32 turn = 0; turn < 64; ++turn) {
      pacr({{"read_intf_sel", 1}, {"last", 1}, {"addr_mode", 2}});
      for (u32 c = 0; c < 16; ++c) row.push_back(get16(kData + 2 * c));
    }
    return row;
  };
  const std::vector<u16> first = pack_row(1);
  EXPECT_EQ(pack_row(1), first);
  EXPECT_NE(pack_row(2), first);
  u32 up = 0;
  for (const u16 value : first) {
    ASSERT_TRUE(value == 0x3F80 || value == 0x3F81);
    up += value == 0x3F81;
  }
  EXPECT_NEAR(up, 512, 100) << "half of 1024";
  EXPECT_TRUE(faulted(Rule::PackStochastic));
}

TEST_F(PackStochastic, block_floats_are_rounded_by_a_bit_of_their_own) {
  apply(Format::Bf16, Format::Bfp8, false);
  for (u32 c = 0; c < 16; ++c) put_bf16(0, c, 0x3F81);  // one half between two codes
  set<cfg::ALU_ROUNDING_MODE_Gasket_srnd_en>(1);
  pacr({{"read_intf_sel", 1}, {"last", 1}, {"addr_mode", 2}});
  EXPECT_FALSE(faulted()) << "BF16 from BF16 drops nothing, and the other bit is clear";
  set<cfg::ALU_ROUNDING_MODE_Gasket_srnd_en>(0);
  set<cfg::ALU_ROUNDING_MODE_Packer_srnd_en>(1);
  seed_generators(state(), 7);
  u32 up = 0;
  for (u32 turn = 0; turn < 64; ++turn) {
    pacr({{"read_intf_sel", 1}, {"last", 1}, {"addr_mode", 2}});
    for (u32 c = 0; c < 16; ++c) up += get8(kData + 64 + c) == 0x41;
  }
  EXPECT_NEAR(up, 512, 100);
}

}  // namespace
}  // namespace bhemu::tensix
