// Modes of UNPACR and UNPACR_NOP that only the Blackhole field descriptions give.
#include "tensix/unpack_bench.hpp"

namespace bhemu::tensix {
namespace {

TEST_F(Unpack, broadcast_puts_one_row_into_eight_rows_of_srcb) {
  TileSetup s;
  s.unpacker = 1;
  s.x_end = 15;
  apply(s);
  fill_bf16(data_address(s), 16);
  set<cfg::UNP1_ADDR_CTRL_XY_REG_1_Ystride>(16 * 16 * 2);
  adc(AdcUnit::Unpacker1).channel[1].y = 1;
  for (SrcRow& row : state().fpu.src_b.bank[0]) row.datum.fill(7);
  unpack(1, false, {{"srcb_bcast", 1}});
  EXPECT_FALSE(faulted());
  for (u32 row = 0; row < 32; ++row)
    for (u32 i = 0; i < 16; ++i)
      EXPECT_EQ(src_b(row).datum[i], row >= 16 && row < 24 ? (0x3F80 + i) << 16 : 7) << row;
}

// LLK's untilize of a tensor that ends where L1 ends (ttnn.untilize of sharded tensors).
TEST_F(Unpack, what_lies_behind_the_end_of_l1_is_zero_and_told_of) {
  TileSetup s;
  s.base = (kL1Size - 256) / 16 - 1;  // half of a face
  apply(s);
  fill_bf16(data_address(s), 128);
  unpack(0, false, {});
  EXPECT_TRUE(faulted(Rule::UnpackL1End));
  EXPECT_FALSE(faulted(Rule::UnpackL1Range));
  for (u32 row = 0; row < 16; ++row)
    for (u32 i = 0; i < 16; ++i)
      EXPECT_EQ(src_a(row).datum[i], row < 8 ? (0x3F80 + row * 16 + i) << 16 : 0) << row;
}

TEST_F(Unpack, broadcast_of_more_than_a_row_faults) {
  TileSetup s;
  s.unpacker = 1;
  s.x_end = 16;
  apply(s);
  unpack(1, false, {{"srcb_bcast", 1}});
  EXPECT_TRUE(faulted(Rule::UnpackUndocumented));
}

TEST_F(Unpack, the_context_count_need_not_be_a_power_of_two) {
  TileSetup s;
  s.x_end = 15;
  apply(s);
  set<cfg::THCON_SEC0_REG2_Context_count>(0);
  set<cfg::THCON_SEC0_REG2_Context_count_non_log2>(3);
  set<cfg::THCON_SEC0_REG2_Context_count_non_log2_en>(1);
  const u8& counter = state().unpacker[0].context[0];
  for (const u32 next : {1u, 2u, 0u, 1u}) {
    unpack(0, false, {{"auto_inc_context_id", 1}});
    EXPECT_EQ(counter, next);
  }
  set<cfg::THCON_SEC0_REG2_Context_count_non_log2_en>(0);
  unpack(0, false, {{"auto_inc_context_id", 1}});
  EXPECT_EQ(counter, 0);
}

TEST_F(Unpack, context_1_may_have_a_ring_of_its_own) {
  TileSetup s;
  s.x_end = 15;
  s.base = 0x300;
  apply(s);
  set<cfg::THCON_SEC0_REG10_Unpack_limit_address>(0x300);
  set<cfg::THCON_SEC0_REG10_Unpack_fifo_size>(0x100);
  fill_bf16(0x301 * 16, 16, 0x4000);
  fill_bf16(0x201 * 16, 16, 0x5000);
  const auto first = [&](u32 context) {
    unpack(0, false, {{"cfg_context_id", context}});
    return src_a(0).datum[0] >> 16;
  };
  EXPECT_EQ(first(1), 0x4000u) << "not enabled";
  set<cfg::THCON_SEC0_REG10_Unpack_limit_address_en>(1);
  EXPECT_EQ(first(1), 0x5000u);
  EXPECT_EQ(first(0), 0x4000u);
}

TEST_F(Unpack, nop_clears_both_banks_when_told_to) {
  for (auto& bank : state().fpu.src_a.bank)
    for (SrcRow& row : bank) row.datum.fill(5);
  run<op::UNPACR_NOP>({{"unpack_pop", 1}, {"bank_clr_ctrl", 1}});
  for (auto& bank : state().fpu.src_a.bank)
    for (SrcRow& row : bank)
      for (const u32 datum : row.datum) EXPECT_EQ(datum, 0u);
  EXPECT_FALSE(faulted());
}

TEST_F(Unpack, nop_with_format_3_only_hands_the_bank_over) {
  for (SrcRow& row : state().fpu.src_a.bank[0]) row.datum.fill(5);
  set<cfg::THCON_SEC0_REG2_Out_data_format>(format_code(Format::Tf32));
  run<op::UNPACR_NOP>({{"unpack_pop", 1}, {"clr_to1_fmt_ctrl", 3}});
  EXPECT_EQ(state().fpu.src_a.bank[0][0].datum[0], 5u);
  EXPECT_EQ(state().fpu.src_a.unpack_bank, 1);
  EXPECT_EQ(state().fpu.src_a.owner[0], SrcOwner::Matrix);
}

class UnpackSetReg : public Unpack {
 protected:
  /// select: which of the four addresses.
  void setreg(u32 select, u32 value, bool accumulate) {
    Context context = DataBench::context();
    context.word = encode<op::UNPACR_NOP>({{"unpack_pop", 3}, {"stream_id", 5}}) | 1u << 2 |
                   (select >> 1) << 22 | (select & 1) << 15 | value << 4 |
                   static_cast<u32>(accumulate) << 3;
    execute(context, op::UNPACR_NOP{context.word});
  }
};

TEST_F(UnpackSetReg, nop_writes_eleven_bits_to_one_of_four_registers) {
  set<cfg::THCON_SEC0_REG10_Unpacker_Reg_Wr_Addr>(1u << 10 | 0x10 | (1u << 10 | 0x20u) << 12);
  set<cfg::THCON_SEC1_REG10_Unpacker_Reg_Wr_Addr>(1u << 10 | 0x30);
  setreg(0, 0x7FF, false);
  setreg(1, 2, false);
  setreg(2, 3, false);
  EXPECT_FALSE(faulted());
  EXPECT_EQ(registers[0xFFB45040], 0x7FFu);
  EXPECT_EQ(registers[0xFFB45080], 2u);
  EXPECT_EQ(registers[0xFFB450C0], 3u);
  setreg(3, 4, false);
  EXPECT_TRUE(faulted(Rule::UnpackUndocumented)) << "0xFFB05000";
}

TEST_F(UnpackSetReg, counted_messages_add_up_to_seventeen_bits_and_zero_clears_them) {
  set<cfg::THCON_SEC0_REG10_Unpacker_Reg_Wr_Addr>(1u << 10 | 0x10);
  for (u32 i = 0; i < 33; ++i) setreg(0, 0x7FF, true);
  EXPECT_EQ(registers[0xFFB45040], 33u * 0x7FF);
  EXPECT_EQ(state().unpacker[0].message_count_high, 1);
  setreg(0, 0, true);
  EXPECT_EQ(registers[0xFFB45040], 33u * 0x7FF) << "clearing writes nothing";
  EXPECT_EQ(state().unpacker[0].message_count, 0);
  setreg(0, 9, true);
  EXPECT_EQ(registers[0xFFB45040], 9u);
}

}  // namespace
}  // namespace bhemu::tensix
