// SFPLOADMACRO: what it schedules, and when that happens (BlackholeA0 SFPLOADMACRO.md).
#include <gtest/gtest.h>

#include "tensix/dst/dst_access.hpp"
#include "tensix/harness.hpp"

namespace bhemu::tensix {
namespace {

constexpr unsigned kThread = 1;
constexpr u32 kInt32 = 4;  // Mod0
constexpr u32 kStoreRow = 0;

enum Shift : u32 { kSimple = 0, kMad = 8, kRound = 16, kStore = 24 };
/// One byte of a sequence. Selector 3 is SFPSTORE, 4 to 7 are the templates.
constexpr u32 step(Shift unit, u32 selector, u32 delay, u32 flags = 0) {
  return (flags | delay << 3 | selector) << unit;
}
constexpr u32 kToExtra = 0x40;
constexpr u32 kIntoVb = 0x80;

u32 macro(u32 index, u32 vd, u32 mod = kInt32, u32 row = kStoreRow) {
  return encode<op::SFPLOADMACRO>(
      {{"lreg_ind", index << 2 | (vd & 3)}, {"instr_mod0", mod}, {"dest_reg_addr", row | vd >> 2}});
}
u32 absolute() {
  return encode<op::SFPABS>();  // of a two's complement integer
}
u32 increment(u32 amount) {
  return encode<op::SFPIADD>({{"instr_mod1", 5}, {"imm12_math", amount}});
}

class LoadMacro : public testing::Test {
 protected:
  LoadMacro() {
    for (u32 r = 0; r < 8; ++r) sfpu().lreg[r].lane.fill(0x100 + r);
    write_dst(-5u);
  }
  SfpuState& sfpu() { return bench.state().sfpu; }
  void set_template(u32 i, u32 word) { sfpu().macro_instruction[i].fill(word); }
  void set_sequence(u32 i, u32 sequence) { sfpu().macro_sequence[i].fill(sequence); }
  void set_misc(u32 misc) { sfpu().macro_misc.fill(misc); }
  void write_dst(u32 value, u32 row = kStoreRow) {
    DstAccess dst(bench.state());
    for (u32 r = 0; r < 4; ++r)
      for (u32 c = 0; c < 16; ++c) dst.write32(row + r, c, numeric::dst_from_fp32(value));
  }
  u32 dst(u32 lane = 0, u32 row = kStoreRow) {
    return numeric::fp32_from_dst(DstAccess(bench.state()).read32(row + lane / 8, 2 * (lane % 8)));
  }
  /// Cycles after the one that issued the macro until `done` holds at the end of one.
  template <class F>
  int cycles_until(F done) {
    for (int i = 0; i <= 20; ++i) {
      bench.cycle();
      if (done()) return i;
    }
    return -1;
  }
  test::Harness bench;
};

TEST_F(LoadMacro, loads_and_the_simple_result_follows_one_cycle_later) {
  set_template(0, absolute());
  set_sequence(2, step(kSimple, 4, 0));
  bench.push(kThread, macro(2, 6));
  bench.cycle();
  EXPECT_EQ(sfpu().lreg[6][9], -5u);
  bench.cycle();
  EXPECT_EQ(sfpu().lreg[6][9], 5u);
  EXPECT_TRUE(bench.faults.faults().empty());
}

TEST_F(LoadMacro, a_store_happens_in_the_cycle_after_its_delay_has_run_out) {
  for (u32 delay = 0; delay < 8; ++delay) {
    write_dst(-5u);
    set_misc(kInt32);
    set_template(1, encode<op::SFPSTORE>({{"lreg_ind", 3}}));
    set_sequence(0, step(kStore, 5, delay, kIntoVb));  // the template's own VD
    bench.push(kThread, macro(0, 0));
    EXPECT_EQ(cycles_until([&] { return dst() == 0x103; }), static_cast<int>(delay) + 1);
    EXPECT_EQ(dst(31), 0x103u);
  }
}

TEST_F(LoadMacro, a_multiply_add_is_visible_two_cycles_later_and_not_one) {
  set_misc(kInt32);
  set_template(0, encode<op::SFPADD>({{"lreg_src_a", 10}, {"lreg_src_b", 10}}));  // + VC
  for (u32 delay = 1; delay < 3; ++delay) {
    write_dst(0x40000000);  // 2.0
    set_sequence(0, step(kMad, 4, 0) | step(kStore, 3, delay));
    bench.push(kThread, macro(0, 2));
    bench.run(10);
    EXPECT_EQ(dst(), delay == 1 ? 0x40000000u : 0x40400000u);
    EXPECT_EQ(sfpu().lreg[2][0], 0x40400000u);
  }
}

TEST_F(LoadMacro, the_extra_register_carries_a_result_to_the_store) {
  set_misc(kInt32);
  set_template(0, absolute());
  set_sequence(0, step(kSimple, 4, 0, kToExtra) | step(kStore, 3, 1, kToExtra));
  bench.push(kThread, macro(0, 1));
  bench.run(10);
  EXPECT_EQ(dst(17), 5u);
  EXPECT_EQ(sfpu().lreg[1][17], -5u);
  EXPECT_EQ(sfpu().lreg[16][17], 5u);
}

TEST_F(LoadMacro, bit_7_makes_the_loaded_register_vb_and_the_template_keeps_vc) {
  // SFPIADD mode 6: VC - VB.
  set_template(0, encode<op::SFPIADD>({{"instr_mod1", 6}, {"lreg_c", 3}, {"lreg_dest", 4}}));
  set_sequence(0, step(kSimple, 4, 0, kIntoVb));
  set_sequence(1, step(kSimple, 4, 0));
  bench.push(kThread, macro(0, 0));
  bench.run(4);
  EXPECT_EQ(sfpu().lreg[0][5], 0x103u + 5u);
  bench.push(kThread, macro(1, 1));
  bench.run(4);
  EXPECT_EQ(sfpu().lreg[1][5], -5u - 0x104u);  // VB is the template's VD
}

TEST_F(LoadMacro, the_store_uses_the_address_that_the_macro_had) {
  ThreadConfigWords& words = bench.state().cfg.thread[kThread];
  words[thread_cfg::ADDR_MOD_DST_SEC0_DestIncr::kWord] = 8;
  set_misc(kInt32);
  set_template(0, increment(1));
  set_sequence(0, step(kSimple, 4, 0) | step(kStore, 3, 1));
  write_dst(7, 8);
  bench.push(kThread, {macro(0, 0), macro(0, 1)});
  bench.run(10);
  EXPECT_EQ(dst(), -4u);
  EXPECT_EQ(dst(0, 8), 8u);
  EXPECT_EQ(bench.state().fpu.rwc[kThread].dst, 16u);
}

TEST_F(LoadMacro, macros_in_a_row_work_as_a_pipeline) {
  ThreadConfigWords& words = bench.state().cfg.thread[kThread];
  words[thread_cfg::ADDR_MOD_DST_SEC0_DestIncr::kWord] = 4;
  set_misc(kInt32);
  set_template(0, increment(1));
  set_sequence(0, step(kSimple, 4, 0) | step(kStore, 3, 1));
  std::vector<u32> macros;
  for (u32 i = 0; i < 8; ++i) {
    write_dst(10 * i, 4 * i);
    macros.push_back(macro(0, i % 3));
  }
  bench.execute(kThread, macros);
  for (u32 i = 0; i < 8; ++i) EXPECT_EQ(dst(0, 4 * i), 10 * i + 1) << i;
}

TEST_F(LoadMacro, a_delay_that_counts_instructions_waits_for_any_thread_to_issue_some) {
  set_misc(kInt32 | 8u << 8);  // the store's delay
  set_sequence(0, step(kStore, 3, 2, kToExtra));
  sfpu().lreg[16].lane.fill(77);
  bench.push(kThread, macro(0, 0));
  bench.run(50);
  EXPECT_EQ(dst(), -5u);
  EXPECT_TRUE(bench.coprocessor.asleep());
  const u32 nop = encode<op::SFPNOP>();
  bench.push(0, {nop, nop});
  bench.run(20);
  EXPECT_EQ(dst(), -5u);
  EXPECT_TRUE(bench.coprocessor.asleep());
  bench.push(0, nop);  // the store executes beside it
  bench.run(1);
  EXPECT_EQ(dst(), 77u);
}

TEST_F(LoadMacro, whoever_counts_instructions_holds_every_sub_unit_and_every_result) {
  set_misc(kInt32 | 8u << 8);
  set_template(0, encode<op::SFPADD>({{"lreg_src_a", 10}, {"lreg_src_b", 10}}));  // + VC
  set_template(1, absolute());
  set_sequence(0, step(kMad, 4, 0) | step(kStore, 3, 3));
  write_dst(0x40000000);  // 2.0
  const u32 nop = encode<op::SFPNOP>();
  bench.push(kThread, macro(0, 2));
  bench.run(9);
  bench.push(kThread, nop);  // the addition executes ...
  bench.run(9);
  EXPECT_EQ(sfpu().lreg[2][0], 0x40000000u);
  bench.push(kThread, nop);  // ... and its result arrives
  bench.run(9);
  EXPECT_EQ(sfpu().lreg[2][0], 0x40400000u);
  EXPECT_EQ(dst(), 0x40000000u);
  bench.push(kThread, {nop, nop});
  bench.run(2);
  EXPECT_EQ(dst(), 0x40400000u);
}

TEST_F(LoadMacro, an_issued_instruction_loses_its_sub_unit_to_a_scheduled_one) {
  set_template(0, absolute());
  set_sequence(0, step(kSimple, 4, 0));
  bench.push(kThread, {macro(0, 0), encode<op::SFPNOT>({{"lreg_c", 1}, {"lreg_dest", 2}}),
                       encode<op::SFPNOT>({{"lreg_c", 1}, {"lreg_dest", 3}})});
  bench.run(10);
  EXPECT_EQ(sfpu().lreg[2][0], 0x102u);
  EXPECT_EQ(sfpu().lreg[3][0], ~0x101u);
  EXPECT_TRUE(bench.faulted(Rule::SfpuMacroDiscard));
}

TEST_F(LoadMacro, an_issued_instruction_of_the_same_cycle_reads_the_old_value) {
  set_template(0, absolute());
  set_sequence(0, step(kSimple, 4, 0));
  bench.push(kThread,
             {macro(0, 0), encode<op::SFPSTORE>(
                               {{"lreg_ind", 0}, {"instr_mod0", kInt32}, {"dest_reg_addr", 64}})});
  bench.run(10);
  EXPECT_EQ(dst(0, 64), -5u);
  EXPECT_EQ(sfpu().lreg[0][0], 5u);
}

TEST_F(LoadMacro, a_later_macro_replaces_what_would_execute_at_the_same_time) {
  set_template(0, increment(1));
  set_template(1, increment(16));
  set_sequence(0, step(kSimple, 4, 3));
  set_sequence(1, step(kSimple, 5, 2));
  bench.push(kThread, {macro(0, 0), macro(1, 1)});
  bench.run(10);
  EXPECT_EQ(sfpu().lreg[0][0], -5u);
  EXPECT_EQ(sfpu().lreg[1][0], 11u);
}

TEST_F(LoadMacro, swap_against_a_constant_in_vb_leaves_the_larger_in_the_loaded_register) {
  set_template(0, encode<op::SFPSWAP>({{"lreg_dest", 14}, {"instr_mod1", 1}}));
  set_sequence(0, step(kSimple, 4, 0));
  sfpu().lreg[14].lane.fill(0xC2B10000);                                 // -88.5
  for (const u32 value : {0xC61C4000u, 0xC2B08000u, 0u, 0x3F000000u}) {  // -10000, -88.25 ...
    write_dst(value);
    bench.execute(kThread, {macro(0, 2)});
    bench.run(4);
    EXPECT_EQ(sfpu().lreg[2][7], value == 0xC61C4000u ? 0xC2B10000u : value);
    EXPECT_EQ(sfpu().lreg[14][7], 0xC2B10000u);
  }
}

TEST_F(LoadMacro, a_part_that_schedules_nothing_replaces_nothing) {
  set_template(0, increment(1));
  set_sequence(0, step(kSimple, 4, 1));
  set_sequence(1, step(kSimple, 0, 0));
  bench.push(kThread, {macro(0, 0), macro(1, 1)});
  bench.run(10);
  EXPECT_EQ(sfpu().lreg[0][0], -4u);
}

TEST_F(LoadMacro, flags_change_when_the_cycle_ends) {
  set_template(0, encode<op::SFPSETCC>());  // negative
  sfpu().condition = {0xFFFFFFFF, 0xFFFFFFFF};
  write_dst(5);
  set_sequence(0, step(kSimple, 4, 0));
  const auto load_1 = [](u32 vd) {
    return encode<op::SFPLOADI>({{"lreg_ind", vd}, {"instr_mod0", 2}, {"imm16", 1}});
  };
  bench.push(kThread, {macro(0, 0), load_1(2), load_1(3)});
  bench.run(10);
  EXPECT_EQ(sfpu().lreg[2][0], 1u);
  EXPECT_EQ(sfpu().lreg[3][0], 0x103u);
  EXPECT_EQ(sfpu().condition.lane_flags, 0u);
}

TEST_F(LoadMacro, columns_may_have_configurations_of_their_own) {
  set_template(0, increment(1));
  set_template(1, increment(2));
  set_sequence(0, step(kSimple, 4, 0));
  sfpu().macro_sequence[0][3] = step(kSimple, 5, 2);
  bench.push(kThread, macro(0, 0));
  bench.run(2);
  EXPECT_EQ(sfpu().lreg[0][2], -4u);
  EXPECT_EQ(sfpu().lreg[0][11], -5u);
  bench.run(2);
  EXPECT_EQ(sfpu().lreg[0][11], -3u);
  EXPECT_EQ(sfpu().lreg[0][2], -4u);
}

TEST_F(LoadMacro, stallwait_and_drained_see_work_that_is_still_to_come) {
  set_misc(kInt32);
  set_sequence(0, step(kStore, 3, 6, kToExtra));
  sfpu().lreg[16].lane.fill(9);
  bench.push(kThread, {macro(0, 0), test::stallwait(1u << 8, 1u << 11), encode<op::SFPNOP>()});
  int executed_at = -1;
  for (int i = 0; i < 20 && executed_at < 0; ++i) {
    EXPECT_FALSE(bench.coprocessor.asleep());
    for (const auto& [thread, word] : bench.cycle()) {
      if (opcode_of(word) == op::SFPNOP::kOpcode) executed_at = i;
    }
    EXPECT_TRUE(dst() == 9 || !bench.coprocessor.drained(kThread));
  }
  EXPECT_EQ(dst(), 9u);
  EXPECT_GT(executed_at, 7);
}

TEST_F(LoadMacro, the_run_may_be_cut_anywhere) {
  const auto outcome = [](Cycle chunk) {
    test::Harness harness;
    SfpuState& sfpu = harness.state().sfpu;
    sfpu.macro_instruction[0].fill(increment(1));
    sfpu.macro_instruction[1].fill(encode<op::SFPMUL>({{"lreg_src_a", 10}, {"lreg_src_c", 9}}));
    sfpu.macro_sequence[0].fill(step(kSimple, 4, 2) | step(kStore, 3, 4));
    sfpu.macro_sequence[1].fill(step(kMad, 5, 0, kIntoVb) | step(kStore, 3, 5));
    sfpu.macro_misc.fill(kInt32);
    harness.push(kThread, {macro(0, 0), macro(1, 1), macro(0, 2), macro(1, 5)});
    for (Cycle i = 0; i < 24; i += chunk) harness.run(chunk);
    return harness.coprocessor.hash(1);
  };
  const u64 whole = outcome(24);
  for (const Cycle chunk : {1, 2, 3, 4, 6, 8, 12}) EXPECT_EQ(outcome(chunk), whole) << chunk;
}

TEST_F(LoadMacro, templates_come_through_the_back_door) {
  bench.execute(kThread, {encode<op::SFPABS>({{"lreg_dest", 14}})});
  EXPECT_EQ(sfpu().macro_instruction[2][7], encode<op::SFPABS>({{"lreg_dest", 14}}));
  set_sequence(0, step(kSimple, 6, 0));
  bench.execute(kThread, {macro(0, 0)});
  EXPECT_EQ(sfpu().lreg[0][0], 5u);
}

TEST_F(LoadMacro, what_a_sub_unit_cannot_execute_is_a_nop_and_in_the_store_unit_undefined) {
  set_template(0, encode<op::SFPMAD>());
  set_sequence(0, step(kSimple, 4, 0));
  bench.execute(kThread, {macro(0, 0)});
  EXPECT_EQ(sfpu().lreg[0][0], -5u);
  EXPECT_FALSE(bench.faulted(Rule::TensixUndefined));
  set_sequence(0, step(kStore, 4, 0));
  bench.execute(kThread, {macro(0, 0)});
  EXPECT_TRUE(bench.faulted(Rule::TensixUndefined));
}

TEST_F(LoadMacro, selector_1_is_undefined) {
  set_sequence(0, step(kRound, 1, 0));
  bench.execute(kThread, {macro(0, 0)});
  EXPECT_TRUE(bench.faulted(Rule::TensixUndefined));
}

TEST_F(LoadMacro, simple_and_round_may_meet_only_if_one_of_them_writes_the_extra_register) {
  set_template(0, increment(1));
  set_template(1, encode<op::SFPSHFT2>({{"instr_mod1", 6}, {"imm12_math", 0x010}}));
  set_sequence(0, step(kSimple, 4, 0, kToExtra) | step(kRound, 5, 0, kIntoVb));
  bench.execute(kThread, {macro(0, 0)});
  EXPECT_EQ(sfpu().lreg[16][3], -4u);
  EXPECT_EQ(sfpu().lreg[0][3], -5u << 16);
  EXPECT_FALSE(bench.faulted(Rule::SfpuMacroPairing));
  set_sequence(0, step(kSimple, 4, 0) | step(kRound, 5, 0));
  bench.execute(kThread, {macro(0, 0)});
  EXPECT_TRUE(bench.faulted(Rule::SfpuMacroPairing));
}

TEST_F(LoadMacro, swap_needs_an_idle_multiply_add_unit) {
  set_template(0, encode<op::SFPSWAP>({{"lreg_src_c", 3}}));
  set_template(1, encode<op::SFPMAD>());
  for (const u32 beside : {0u, step(kMad, 2, 0)}) {  // nothing, SFPNOP
    set_sequence(0, step(kSimple, 4, 0) | beside);
    bench.execute(kThread, {macro(0, 0)});
    EXPECT_FALSE(bench.faulted(Rule::SfpuMacroPairing));
  }
  set_sequence(0, step(kSimple, 4, 0) | step(kMad, 5, 0));
  bench.execute(kThread, {macro(0, 0)});
  EXPECT_TRUE(bench.faulted(Rule::SfpuMacroPairing));
}

}  // namespace
}  // namespace bhemu::tensix
