// Exact footprints: what the pages of the instructions say they touch, and nothing else.
#include <gtest/gtest.h>

#include "support/touch_printer.hpp"
#include "tensix/footprint/footprint.hpp"
#include "tensix/unpack_bench.hpp"

namespace bhemu::tensix {
namespace {

using namespace footprint_cell;

class FootprintOf : public Unpack {
 protected:
  std::vector<Touch> all(u32 word, unsigned thread = 0) {
    Touches touches;
    footprint(state(), context().env, thread, word, touches);
    return {touches.begin(), touches.end()};
  }
  std::vector<Touch> in(Space space, u32 word, unsigned thread = 0) {
    std::vector<Touch> found;
    for (const Touch& touch : all(word, thread))
      if (touch.space == space) found.push_back(touch);
    return found;
  }
  using List = std::vector<Touch>;
};

TEST_F(FootprintOf, setdmareg_is_one_half_of_one_register) {
  const u32 word = encode<op::SETDMAREG>({{"reg_index_16b", 11}});
  EXPECT_EQ(all(word, 2), (List{{Space::Gpr, Access::Write, 2 * kGprs + 5, 1, 0xFFFF0000}}));
}

TEST_F(FootprintOf, sempost_is_the_semaphores_of_its_mask) {
  EXPECT_EQ(
      all(encode<op::SEMPOST>({{"sem_sel", 0x22}})),
      (List{{Space::Semaphore, Access::ReadWrite, 1}, {Space::Semaphore, Access::ReadWrite, 5}}));
}

TEST_F(FootprintOf, semwait_is_the_gate_and_what_it_tests) {
  EXPECT_EQ(all(encode<op::SEMWAIT>({{"sem_sel", 4}, {"wait_sem_cond", 1}}), 1),
            (List{{Space::WaitGate, Access::Write, 1}, {Space::Semaphore, Access::Read, 2}}));
}

TEST_F(FootprintOf, wrcfg_is_a_register_and_a_word_of_the_bank_that_the_thread_has_chosen) {
  set_thread<thread_cfg::CFG_STATE_ID_StateID>(1, 0);
  EXPECT_EQ(all(encode<op::WRCFG>({{"cfg_reg", 70}, {"gpr_address", 9}})),
            (List{{Space::Gpr, Access::Read, 9},
                  {Space::ThreadConfig, Access::Read, 0, 1, 1},
                  {Space::Config, Access::Write, kConfigWords + 70}}));
}

TEST_F(FootprintOf, rmwcib_is_the_bits_of_its_mask) {
  EXPECT_EQ(
      in(Space::Config, encode<op::RMWCIB2>({{"cfg_reg_addr", 3}, {"mask", 0x0C}, {"data", 0xFF}})),
      (List{{Space::Config, Access::Write, 3, 1, 0x000C0000}}));
}

TEST_F(FootprintOf, a_write_of_a_global_word_is_named_once) {
  set_thread<thread_cfg::CFG_STATE_ID_StateID>(1, 0);
  EXPECT_EQ(in(Space::Config, encode<op::WRCFG>({{"cfg_reg", 200}})),
            (List{{Space::Config, Access::Write, 200}}));
}

TEST_F(FootprintOf, storeind_of_16_bytes_is_four_registers_an_address_and_16_bytes_of_l1) {
  state().thcon.gpr[0][4] = 0x2000;
  state().thcon.gpr[0][5] = 0x00200000;  // half 11 is 32
  const u32 word = encode<op::STOREIND>({{"mem_hier_sel", 1},
                                         {"addr_reg_index", 4},
                                         {"offset_index", 11},
                                         {"auto_inc_spec", 3},
                                         {"data_reg_index", 9}});
  EXPECT_EQ(all(word), (List{{Space::Gpr, Access::Read, 4},
                             {Space::Gpr, Access::ReadWrite, 5, 1, 0xFFFF0000},
                             {Space::L1, Access::Write, 0x20020, 16},
                             {Space::Gpr, Access::Read, 8, 4}}));
}

TEST_F(FootprintOf, atswap_is_the_halves_of_its_mask) {
  state().thcon.gpr[0][4] = 0x2000;
  EXPECT_EQ(in(Space::L1, encode<op::ATSWAP>({{"addr_reg_index", 4}, {"swap_mask", 0xC3}})),
            (List{{Space::L1, Access::Write, 0x20000, 4}, {Space::L1, Access::Write, 0x2000C, 4}}));
}

TEST_F(FootprintOf, storereg_to_the_overlay_is_a_register_of_a_stream) {
  const u32 address = 0xFFB40000 + 3 * 0x1000 + 0x10C;
  const u32 word = encode<op::STOREREG>({{"reg_addr", (address - 0xFFB00000) >> 2}});
  EXPECT_EQ(in(Space::Stream, word), (List{{Space::Stream, Access::Write, 3 * 1024 + 0x43}}));
}

TEST_F(FootprintOf, xmov_is_its_command_and_two_ranges_of_l1) {
  set<cfg::THCON_SEC0_REG6_Source_address>(0x1000);
  set<cfg::THCON_SEC0_REG6_Destination_address>(0x2000);
  set<cfg::THCON_SEC0_REG6_Buffer_size>(4);
  set<cfg::THCON_SEC0_REG6_Transfer_direction>(3);
  EXPECT_EQ(in(Space::L1, encode<op::XMOV>()), (List{{Space::L1, Access::Read, 0x10000, 64},
                                                     {Space::L1, Access::Write, 0x20000, 64}}));
}

TEST_F(FootprintOf, mvmul_is_16_rows_of_src_a_8_of_src_b_and_8_of_dst) {
  state().fpu.rwc[0].src_a = 16;
  state().fpu.rwc[0].dst = 32;
  state().fpu.src_a.matrix_bank = 1;
  const u32 word = encode<op::MVMUL>({{"dst", 8}});
  EXPECT_EQ(in(Space::SrcA, word), (List{{Space::SrcA, Access::Read, kSrcRows + 16, 16, 0xFFFF}}));
  EXPECT_EQ(in(Space::SrcB, word), (List{{Space::SrcB, Access::Read, 0, 8, 0xFFFF}}));
  EXPECT_EQ(in(Space::Dst, word), (List{{Space::Dst, Access::ReadWrite, 40, 8, 0xFFFF}}));
}

TEST_F(FootprintOf, a_sum_that_is_not_accumulated_only_writes_dst_both_halves_when_it_is_wide) {
  set<cfg::ALU_ACC_CTRL_Fp32_enabled>(1);
  EXPECT_EQ(in(Space::Dst, encode<op::ELWADD>()),
            (List{{Space::Dst, Access::Write, 0, 16, 0xFFFF}}));
}

TEST_F(FootprintOf, formats_that_banks_imply_are_not_looked_up_in_the_configuration) {
  for (const Touch& touch : in(Space::Config, encode<op::MVMUL>()))
    EXPECT_NE(touch.begin, u32{cfg::ALU_FORMAT_SPEC_REG_SrcA_val::kWord}) << describe(touch);
  set_thread<thread_cfg::DISABLE_IMPLIED_SRCA_FMT_Base>(1);
  bool found = false;
  for (const Touch& touch : in(Space::Config, encode<op::MVMUL>()))
    found = found || touch.begin == cfg::ALU_FORMAT_SPEC_REG_SrcA_override::kWord;
  EXPECT_TRUE(found);
}

TEST_F(FootprintOf, clear_bits_give_the_banks_of_the_matrix_unit_back) {
  state().fpu.src_b.matrix_bank = 1;
  List given;
  for (const Touch& touch : in(Space::SrcControl, encode<op::SETRWC>({{"clear_ab_vld", 2}})))
    given.push_back(touch);
  EXPECT_EQ(given, (List{{Space::SrcControl, Access::Write, kSrcCells + Owner1},
                         {Space::SrcControl, Access::ReadWrite, kSrcCells + MatrixBank}}));
}

TEST_F(FootprintOf, sfpstore_is_a_register_and_the_even_columns_of_four_rows) {
  const u32 word = encode<op::SFPSTORE>({{"lreg_ind", 3}, {"instr_mod0", 2}, {"dest_reg_addr", 8}});
  EXPECT_EQ(in(Space::LReg, word), (List{{Space::LReg, Access::Read, 3}}));
  EXPECT_EQ(in(Space::Dst, word), (List{{Space::Dst, Access::Write, 8, 4, 0x5555}}));
}

TEST_F(FootprintOf, vector_instructions_touch_the_enabled_lanes) {
  state().sfpu.condition = {~0u, 0x0000FF00};
  const u32 word = encode<op::SFPMAD>(
      {{"lreg_src_a", 1}, {"lreg_src_b", 2}, {"lreg_src_c", 3}, {"lreg_dest", 5}});
  EXPECT_EQ(in(Space::LReg, word), (List{{Space::LReg, Access::Read, 1, 3, 0xFF00},
                                         {Space::LReg, Access::Write, 5, 1, 0xFF00}}));
}

TEST_F(FootprintOf, unpacr_of_a_row_is_its_bytes_and_its_row) {
  TileSetup setup;
  setup.x_end = 15;
  apply(setup);
  const u32 word = encode<op::UNPACR>({{"ovrd_thread_id", 1}, {"set_dat_valid", 1}});
  EXPECT_EQ(in(Space::L1, word), (List{{Space::L1, Access::Read, data_address(setup), 32}}));
  EXPECT_EQ(in(Space::SrcA, word), (List{{Space::SrcA, Access::Write, 0, 1, 0xFFFF}}));
  EXPECT_TRUE(in(Space::Dst, word).empty());
}

TEST_F(FootprintOf, unpacr_of_a_block_format_reads_its_exponents_too) {
  TileSetup setup;
  setup.in = Format::Bfp8;
  setup.x_end = 31;
  apply(setup);
  const u32 word = encode<op::UNPACR>({{"ovrd_thread_id", 1}});
  const u32 exponents = data_address(setup);
  EXPECT_EQ(in(Space::L1, word), (List{{Space::L1, Access::Read, exponents + 64, 32},
                                       {Space::L1, Access::Read, exponents, 2}}));
}

TEST_F(FootprintOf, unpacr_nop_clears_a_whole_bank) {
  const u32 word = encode<op::UNPACR_NOP>({{"unpack_pop", 1}, {"unpacker_select", 1}});
  EXPECT_EQ(in(Space::SrcB, word), (List{{Space::SrcB, Access::Write, 0, kSrcRows}}));
}

TEST_F(FootprintOf, mop_is_the_words_of_its_template_that_are_used) {
  auto& config = state().frontend[1].mop_config;
  const u32 nop = encode<op::NOP>();
  config = {1, 1, nop, nop, nop, encode<op::MVMUL>(), nop, encode<op::MVMUL>(), nop};
  EXPECT_EQ(in(Space::MopConfig, encode<op::MOP>({{"mop_type", 1}}), 1),
            (List{{Space::MopConfig, Access::Read, kMopCells, 4},
                  {Space::MopConfig, Access::Read, kMopCells + 6, 2}}));
}

TEST_F(FootprintOf, replay_writes_what_it_loads_and_reads_what_it_plays) {
  EXPECT_EQ(all(encode<op::REPLAY>({{"load_mode", 1}, {"len", 4}, {"start_idx", 30}}), 2),
            (List{{Space::Replay, Access::Write, 2 * kReplaySlots + 30, 2},
                  {Space::Replay, Access::Write, 2 * kReplaySlots, 2}}));
  EXPECT_EQ(all(encode<op::REPLAY>({{"len", 4}})), (List{{Space::Replay, Access::Read, 0, 4}}));
}

TEST_F(FootprintOf, stallwait_reads_who_owns_the_bank_that_it_waits_for) {
  const u32 word = encode<op::STALLWAIT>({{"wait_res", 1u << 7}, {"stall_res", 1u << 6}});
  EXPECT_EQ(in(Space::SrcControl, word), (List{{Space::SrcControl, Access::Read, MatrixBank},
                                               {Space::SrcControl, Access::Read, Owner0}}));
}

TEST(Touches, hold_any_number_and_join_what_continues) {
  Touches touches;
  for (u32 i = 0; i < 300; ++i) touches.add({Space::L1, Access::Read, i * 32, 16});
  EXPECT_EQ(touches.size(), 300u);
  EXPECT_EQ(touches[299], (Touch{Space::L1, Access::Read, 299 * 32, 16}));
  touches.add({Space::L1, Access::Read, 299 * 32 + 16, 16});
  EXPECT_EQ(touches.size(), 300u);
  EXPECT_EQ(touches[299].size, 32u);
  touches.clear();
  EXPECT_TRUE(touches.empty());
}

TEST(Touches, are_described_by_the_names_of_the_documents) {
  EXPECT_EQ(describe({Space::L1, Access::Read, 0x1000, 32}), "read L1[0x1000, +32]");
  EXPECT_EQ(describe({Space::Config, Access::Write,
                      kConfigWords + cfg::THCON_SEC0_REG2_Out_data_format::kWord, 1, 0xF}),
            "write configuration THCON_SEC0_REG2_Out_data_format of bank 1");
  EXPECT_EQ(describe({Space::Dst, Access::ReadWrite, 8, 8}), "read and write Dst row 8..15");
  EXPECT_EQ(describe({Space::Gpr, Access::Read, 2 * kGprs + 5}), "read GPR 5 of thread 2");
  EXPECT_EQ(describe({Space::SrcA, Access::Write, kSrcRows + 3}), "write SrcA row 3 of bank 1");
}

}  // namespace
}  // namespace bhemu::tensix
