// Configuration unit, the configuration window, and the instructions on address counters.
#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "harness.hpp"
#include "tensix/cfg/cfg.hpp"

namespace bhemu::tensix::test {
namespace {

using Words = std::vector<u32>;

u32 wrcfg(u32 gpr, u32 word, bool wide = false) {
  return encode<op::WRCFG>({{"gpr_address", gpr}, {"cfg_reg", word}, {"wr128b", wide ? 1u : 0u}});
}

TEST(Cfg, wrcfg_writes_the_bank_that_the_thread_has_selected) {
  Harness harness;
  harness.gpr(1, 7) = 0x12345678;
  harness.execute(1, {wrcfg(7, 70), setc16(0, 1), wrcfg(7, 71)});
  EXPECT_EQ(harness.state().cfg.bank[0][70], 0x12345678u);
  EXPECT_EQ(harness.state().cfg.bank[1][70], 0u);
  EXPECT_EQ(harness.state().cfg.bank[0][71], 0u);
  EXPECT_EQ(harness.state().cfg.bank[1][71], 0x12345678u);
}

TEST(Cfg, wrcfg_of_128_bits_aligns_both_sides_down) {
  Harness harness;
  for (u32 i = 0; i < 4; ++i) harness.gpr(0, 8 + i) = 100 + i;
  harness.execute(0, {wrcfg(10, 75, true)});
  for (u32 i = 0; i < 4; ++i) EXPECT_EQ(harness.state().cfg.bank[0][72 + i], 100 + i);
  EXPECT_TRUE(harness.faulted(Rule::TensixWideConfig));
}

TEST(Cfg, wrcfg_of_128_bits_is_diagnosed_where_either_side_is_no_multiple_of_four) {
  const auto diagnosed = [](u32 gpr, u32 word, bool wide) {
    Harness harness;
    harness.execute(0, {wrcfg(gpr, word, wide)});
    return harness.faulted(Rule::TensixWideConfig);
  };
  EXPECT_TRUE(diagnosed(9, 72, true));
  EXPECT_TRUE(diagnosed(8, 74, true));
  EXPECT_FALSE(diagnosed(8, 72, true));
  EXPECT_FALSE(diagnosed(9, 75, false));
}

TEST(Cfg, a_global_word_exists_once) {
  Harness harness;
  harness.gpr(0, 1) = 99;
  harness.execute(0, {setc16(0, 1), wrcfg(1, 209)});
  EXPECT_EQ(harness.state().cfg.bank[0][209], 99u);
  EXPECT_EQ(harness.state().cfg.bank[1][209], 99u);
}

TEST(Cfg, rdcfg_reads_back_to_a_gpr) {
  Harness harness;
  harness.state().cfg.bank[0][33] = 0xCAFE;
  harness.execute(2, {encode<op::RDCFG>({{"gpr_address", 5}, {"cfg_reg", 33}})});
  EXPECT_EQ(harness.gpr(2, 5), 0xCAFEu);
}

TEST(Cfg, rmwcib_changes_the_masked_bits_of_its_byte) {
  Harness harness;
  harness.state().cfg.bank[0][80] = 0xAABBCCDD;
  harness.execute(0, {encode<op::RMWCIB0>({{"cfg_reg_addr", 80}, {"data", 0x0F}, {"mask", 0xFF}}),
                      encode<op::RMWCIB1>({{"cfg_reg_addr", 80}, {"data", 0xFF}, {"mask", 0x03}}),
                      encode<op::RMWCIB2>({{"cfg_reg_addr", 80}, {"data", 0x00}, {"mask", 0xF0}}),
                      encode<op::RMWCIB3>({{"cfg_reg_addr", 80}, {"data", 0x55}, {"mask", 0x00}})});
  EXPECT_EQ(harness.state().cfg.bank[0][80], 0xAA0BCF0Fu);
}

TEST(Cfg, setc16_writes_only_its_own_thread) {
  Harness harness;
  harness.execute(1, {setc16(57, 0xBEEF)});
  EXPECT_EQ(harness.state().cfg.thread[1][57], 0xBEEF);
  EXPECT_EQ(harness.state().cfg.thread[0][57], 0);
}

TEST(Cfg, setc16_resets_unpack_context_counters_when_asked_to) {
  Harness harness;
  harness.state().unpacker[0].context[2] = 3;
  harness.state().unpacker[1].context[2] = 3;
  harness.state().unpacker[1].context[1] = 3;
  harness.execute(2, {setc16(41, 0x0001)});
  EXPECT_EQ(harness.state().unpacker[0].context[2], 3);
  harness.execute(2, {setc16(41, 1u << 4)});
  EXPECT_EQ(harness.state().unpacker[0].context[2], 0);
  EXPECT_EQ(harness.state().unpacker[1].context[2], 3);
  harness.execute(2, {setc16(41, 1u << 12)});
  EXPECT_EQ(harness.state().unpacker[1].context[2], 0);
  EXPECT_EQ(harness.state().unpacker[1].context[1], 3);
}

TEST(Cfg, setc16_increments_unpack_context_counters_when_asked_to) {
  Harness harness;
  State& state = harness.state();
  for (ConfigWords& words : state.cfg.bank) {
    cfg::THCON_SEC0_REG2_Context_count::set(words, 1);  // two contexts
    cfg::THCON_SEC0_REG2_Context_count::set(words, 2, kThconSection);
  }
  harness.execute(2, {setc16(41, 1u << 5)});
  EXPECT_EQ(state.unpacker[0].context[2], 1);
  EXPECT_EQ(state.unpacker[1].context[2], 0);
  EXPECT_EQ(state.unpacker[0].context[1], 0);
  harness.execute(2, {setc16(41, 1u << 5 | 1u << 13)});
  EXPECT_EQ(state.unpacker[0].context[2], 0);
  EXPECT_EQ(state.unpacker[1].context[2], 1);
  // A reset in the same write has the last word.
  harness.execute(2, {setc16(41, 1u << 12 | 1u << 13)});
  EXPECT_EQ(state.unpacker[1].context[2], 0);
}

/// CFGSHIFTMASK bit by bit: output bit i takes part in the mask when the unrotated bit does.
u32 shift_mask_model(u32 old, u32 scratch, u32 amount, u32 width, u32 mode, bool keep) {
  u32 operand = 0;
  u32 region = 0;
  for (u32 i = 0; i <= width; ++i) {
    const u32 to = (i + 32 - amount) % 32;
    region |= 1u << to;
    operand |= (scratch >> i & 1u) << to;
  }
  const u32 value = keep ? old : old & ~region;
  const u32 results[8] = {value | operand,  value & operand,  value ^ operand,  value + operand,
                          value | ~operand, value & ~operand, value ^ ~operand, value - operand};
  return results[mode];
}

TEST(Cfg, cfgshiftmask_agrees_with_a_model_in_every_mode) {
  std::mt19937 random(3);
  const auto pick = [&](u32 count) { return static_cast<u32>(random()) % count; };
  for (int round = 0; round < 500; ++round) {
    Harness harness;
    const unsigned thread = pick(3);
    const u32 section = pick(4);
    const u32 old = static_cast<u32>(random());
    const u32 scratch = static_cast<u32>(random());
    const u32 amount = pick(32);
    const u32 width = pick(32);
    const u32 mode = pick(8);
    const bool keep = pick(2) != 0;
    for (auto& bank : harness.state().cfg.bank)
      bank[209 + (section < 3 ? section : thread)] = scratch;
    harness.state().cfg.bank[0][76] = old;
    harness.execute(thread,
                    {encode<op::CFGSHIFTMASK>({{"cfg_reg", 76},
                                               {"scratch_sel", section},
                                               {"right_cshift_amt", amount},
                                               {"mask_width", width},
                                               {"operation", mode},
                                               {"disable_mask_on_old_val", keep ? 1u : 0u}})});
    ASSERT_EQ(harness.state().cfg.bank[0][76],
              shift_mask_model(old, scratch, amount, width, mode, keep));
  }
}

TEST(Cfg, streamwrcfg_copies_a_register_of_the_selected_stream) {
  Harness harness;
  harness.registers[0xFFB40000 + 9 * 0x1000 + 10 * 4] = 77;
  harness.execute(
      0, {setc16(60, 9), encode<op::STREAMWRCFG>(
                             {{"stream_id_sel", 1}, {"stream_reg_addr", 10}, {"cfg_reg", 88}})});
  EXPECT_EQ(harness.state().cfg.bank[0][88], 77u);
}

TEST(Cfg, indices_outside_the_space_are_faults) {
  for (const u32 word : {wrcfg(0, 224), wrcfg(0, 2047, true), encode<op::RDCFG>({{"cfg_reg", 224}}),
                         setc16(68, 1), encode<op::RMWCIB1>({{"cfg_reg_addr", 230}, {"mask", 1}}),
                         encode<op::CFGSHIFTMASK>({{"cfg_reg", 255}})}) {
    Harness harness;
    harness.push(0, word);
    harness.run(3);
    EXPECT_TRUE(harness.faulted(Rule::TensixConfigIndex)) << std::hex << word;
  }
}

TEST(Cfg, fields_without_effect_warn_once_when_they_are_set) {
  Harness harness;
  const auto warnings = [&] {
    u32 count = 0;
    for (const Fault& fault : harness.faults.faults())
      count += fault.rule == Rule::ConfigWithoutEffect;
    return count;
  };
  harness.gpr(0, 1) = 0x0000FF00;  // other fields of word 5
  harness.gpr(0, 2) = 1;           // DEST_OFFSET_Enable
  harness.execute(0, {wrcfg(1, 5), wrcfg(3, 5)});
  EXPECT_EQ(warnings(), 0u);
  harness.execute(0, {wrcfg(2, 5), wrcfg(2, 5)});
  EXPECT_EQ(warnings(), 1u);
  harness.coprocessor.write_config(kConfigDual + 221, 2, harness.core());
  EXPECT_EQ(warnings(), 2u);
  harness.execute(2, {setc16(56, 0x1F)});  // Auto TTSync is modelled
  EXPECT_EQ(warnings(), 2u);
  harness.execute(2, {setc16(20, 2), setc16(67, 1)});
  EXPECT_EQ(warnings(), 4u);
  harness.gpr(0, 3) = 8;  // Unused1 of word 98, by REG2FLOP of THCON's word 46
  harness.execute(0,
                  {encode<op::REG2FLOP>(
                      {{"size_sel", 1}, {"flop_index", 98 - kThconConfigBase}, {"reg_index", 3}})});
  EXPECT_EQ(warnings(), 5u);
}

TEST(Cfg, writing_state_reset_clears_the_banks_own_words_but_rmwcib_does_not) {
  Harness harness;
  State& state = harness.state();
  for (auto& bank : state.cfg.bank) bank.fill(7);
  harness.execute(0, {encode<op::RMWCIB0>({{"cfg_reg_addr", 4}, {"data", 1}, {"mask", 1}})});
  EXPECT_EQ(state.cfg.bank[0][100], 7u);
  harness.coprocessor.write_config(4, 1, harness.core());
  EXPECT_EQ(state.cfg.bank[0][100], 0u);
  EXPECT_EQ(state.cfg.bank[0][179], 0u);
  EXPECT_EQ(state.cfg.bank[0][180], 7u);
  EXPECT_EQ(state.cfg.bank[1][100], 7u);
}

TEST(Cfg, the_window_shows_both_banks_both_at_once_and_the_threads) {
  Harness harness;
  harness.wakeup.watched = mask_of(Resource::Config);
  Coprocessor& coprocessor = harness.coprocessor;
  coprocessor.write_config(10, 1, harness.core());
  coprocessor.write_config(224 + 10, 2, harness.core());
  coprocessor.write_config(448 + 11, 3, harness.core());
  EXPECT_EQ(harness.state().cfg.bank[0][10], 1u);
  EXPECT_EQ(harness.state().cfg.bank[1][10], 2u);
  EXPECT_EQ(harness.state().cfg.bank[0][11], 3u);
  EXPECT_EQ(harness.state().cfg.bank[1][11], 3u);
  const auto read = [&](u32 index) {
    u32 value = 0xDEAD;
    EXPECT_TRUE(coprocessor.read_config(index, value, harness.core()));
    return value;
  };
  EXPECT_EQ(read(224 + 10), 2u);
  EXPECT_EQ(read(448 + 10), 1u);
  harness.execute(2, {setc16(5, 0x42)});
  EXPECT_EQ(read(672 + 2 * 68 + 5), 0x42u);
  EXPECT_FALSE(harness.woken.empty());
  EXPECT_TRUE(harness.faults.faults().empty());
  EXPECT_FALSE(coprocessor.write_config(672, 1, harness.core(Agent::Brisc)));
  EXPECT_TRUE(harness.faulted(Rule::TensixThreadConfigWrite));
  EXPECT_EQ(harness.faults.faults()[0].agent, Agent::Brisc) << "not the core of some thread";
  EXPECT_EQ(harness.faults.faults()[0].pc, 0x100u) << "not the index of a word";
  EXPECT_FALSE(coprocessor.write_config(876, 1, harness.core()));
  EXPECT_TRUE(harness.faulted(Rule::TensixConfigIndex));
}

TEST(Cfg, the_tile_hears_of_words_that_concern_its_cores) {
  Harness harness;
  harness.gpr(0, 3) = 0x1F;
  harness.execute(0, {wrcfg(3, 185), wrcfg(3, 100)});
  harness.coprocessor.write_config(208, 0x11F, harness.core());
  const std::vector<std::pair<u32, u32>> expected = {{185, 0x1F}, {208, 0x11F}};
  EXPECT_EQ(harness.config_notifications, expected);
}

// Vectors of numerics-sfpu section 8.
TEST(Cfg, a_write_to_the_seed_word_seeds_the_lanes) {
  Harness harness;
  harness.coprocessor.write_config(186, 0x01234567, harness.core());
  const auto& prng = harness.state().sfpu.prng;
  EXPECT_EQ(prng[0], 0x06D56CE4u);
  EXPECT_EQ(prng[1], 0x1B55B391u);
  EXPECT_EQ(prng[2], 0x6D56CE46u);
  EXPECT_EQ(prng[29], 0xEC71ED60u);
  EXPECT_EQ(prng[31], 0xC71ED607u);
}

TEST(Cfg, thcon_words_do_not_take_writes_while_held_in_reset) {
  Harness harness;
  for (auto& bank : harness.state().cfg.bank) bank.fill(7);
  harness.coprocessor.set_soft_reset(1u << 9, harness.now);
  EXPECT_EQ(harness.state().cfg.bank[1][64], 0u);
  EXPECT_EQ(harness.state().cfg.bank[1][63], 7u);
  harness.coprocessor.write_config(70, 5, harness.core());
  EXPECT_EQ(harness.state().cfg.bank[0][70], 0u);
  harness.coprocessor.set_soft_reset(0, harness.now);
  harness.coprocessor.write_config(70, 5, harness.core());
  EXPECT_EQ(harness.state().cfg.bank[0][70], 5u);
}

AdcChannel& channel(Harness& harness, unsigned thread, AdcUnit unit, u32 index) {
  return harness.state().adc.of(thread, unit).channel[index];
}

TEST(Adc, setadc_sets_one_counter_and_its_copy_in_the_selected_units) {
  Harness harness;
  harness.execute(0, {encode<op::SETADC>({{"value", 0x1234},
                                          {"dimension_index", 0},
                                          {"channel_index", 1},
                                          {"cnt_set_mask", 0b101}})});
  EXPECT_EQ(channel(harness, 0, AdcUnit::Unpacker0, 1).x, 0x1234u);
  EXPECT_EQ(channel(harness, 0, AdcUnit::Packer, 1).x_cr, 0x1234u);
  EXPECT_EQ(channel(harness, 0, AdcUnit::Unpacker1, 1).x, 0u);
  EXPECT_EQ(channel(harness, 0, AdcUnit::Unpacker0, 0).x, 0u);
}

TEST(Adc, the_override_bits_name_another_thread) {
  Harness harness;
  harness.execute(0, {encode<op::SETADCZW>({{"bit_mask", 0xF},
                                            {"ch0_z", 1},
                                            {"ch0_w", 2},
                                            {"ch1_z", 3},
                                            {"ch1_w", 4},
                                            {"thread_override", 3},
                                            {"cnt_set_mask", 2}})});
  EXPECT_EQ(channel(harness, 2, AdcUnit::Unpacker1, 0).z, 1);
  EXPECT_EQ(channel(harness, 2, AdcUnit::Unpacker1, 0).w_cr, 2);
  EXPECT_EQ(channel(harness, 2, AdcUnit::Unpacker1, 1).z_cr, 3);
  EXPECT_EQ(channel(harness, 2, AdcUnit::Unpacker1, 1).w, 4);
  EXPECT_EQ(channel(harness, 0, AdcUnit::Unpacker1, 0).z, 0);
}

TEST(Adc, counters_wrap_at_their_widths) {
  Harness harness;
  AdcChannel& in = channel(harness, 0, AdcUnit::Unpacker0, 0);
  in = {0x3FFFF, 0x3FFFF, 0x1FFF, 0x1FFF, 0x1FFF, 0x1FFF, 0x1FFF, 0x1FFF};
  harness.execute(0, {encode<op::INCADCXY>({{"ch0_x", 2}, {"ch0_y", 3}, {"cnt_set_mask", 1}}),
                      encode<op::INCADCZW>({{"ch0_z", 4}, {"ch0_w", 5}, {"cnt_set_mask", 1}})});
  EXPECT_EQ(in.x, 1u);
  EXPECT_EQ(in.y, 2);
  EXPECT_EQ(in.z, 3);
  EXPECT_EQ(in.w, 4);
  EXPECT_EQ(in.x_cr, 0x3FFFFu) << "INCADC leaves the copies alone";
}

TEST(Adc, addrcr_steps_the_copy_and_returns_to_it) {
  Harness harness;
  AdcChannel& out = channel(harness, 1, AdcUnit::Packer, 1);
  out = {50, 10, 60, 20, 7, 5, 8, 6};
  harness.execute(1,
                  {encode<op::ADDRCRXY>(
                       {{"bit_mask", 0b1000}, {"ch1_x", 1}, {"ch1_y", 2}, {"cnt_set_mask", 4}}),
                   encode<op::ADDRCRZW>(
                       {{"bit_mask", 0b0100}, {"ch1_z", 3}, {"ch1_w", 1}, {"cnt_set_mask", 4}})});
  EXPECT_EQ(out.x, 50u);
  EXPECT_EQ(out.y, 22);
  EXPECT_EQ(out.y_cr, 22);
  EXPECT_EQ(out.z, 8);
  EXPECT_EQ(out.z_cr, 8);
  EXPECT_EQ(out.w, 8);
}

TEST(Adc, setadcxx_sets_start_and_end) {
  Harness harness;
  harness.execute(0,
                  {encode<op::SETADCXX>({{"x_start", 3}, {"x_end2", 255}, {"cnt_set_mask", 7}})});
  for (const AdcUnit unit : {AdcUnit::Unpacker0, AdcUnit::Unpacker1, AdcUnit::Packer}) {
    EXPECT_EQ(channel(harness, 0, unit, 0).x, 3u);
    EXPECT_EQ(channel(harness, 0, unit, 1).x_cr, 255u);
  }
}

TEST(Adc, setadcxy_sets_only_what_its_mask_names) {
  Harness harness;
  channel(harness, 0, AdcUnit::Unpacker0, 0) = {9, 9, 9, 9, 9, 9, 9, 9};
  harness.execute(0, {encode<op::SETADCXY>({{"bit_mask", 0b0110},
                                            {"ch0_x", 1},
                                            {"ch0_y", 2},
                                            {"ch1_x", 3},
                                            {"ch1_y", 4},
                                            {"cnt_set_mask", 1}})});
  EXPECT_EQ(channel(harness, 0, AdcUnit::Unpacker0, 0).x, 9u);
  EXPECT_EQ(channel(harness, 0, AdcUnit::Unpacker0, 0).y, 2);
  EXPECT_EQ(channel(harness, 0, AdcUnit::Unpacker0, 1).x, 3u);
  EXPECT_EQ(channel(harness, 0, AdcUnit::Unpacker0, 1).y, 0);
}

}  // namespace
}  // namespace bhemu::tensix::test
