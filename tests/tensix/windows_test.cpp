// Windows, not instants: an instruction keeps its unit busy from its issue to its completion, for
// one cycle in the fast timing and for longer in others; waits and TTSync look at that, and at who
// owns the Src banks.
#include <gtest/gtest.h>

#include "harness.hpp"
#include "tensix/context.hpp"
#include "tensix/footprint/footprint.hpp"
#include "tensix/operation.hpp"
#include "tensix/timing.hpp"
#include "trace/observer.hpp"

namespace bhemu::tensix::test {
namespace {

u32 mark(u32 i) {
  return set_half(100, i);
}

struct UnitWord {
  const char* name;
  BusyUnit unit;
  u32 word;
};

const UnitWord kUnitWords[] = {
    {"Thcon", BusyUnit::Thcon, mark(1)},
    {"Unpack0", BusyUnit::Unpack0, encode<op::UNPACR_NOP>({{"unpack_pop", 2}})},
    {"Unpack1", BusyUnit::Unpack1,
     encode<op::UNPACR_NOP>({{"unpack_pop", 2}, {"unpacker_select", 1}})},
    {"Pack", BusyUnit::Pack, encode<op::PACR>({{"flush", 1}})},
    {"Fpu", BusyUnit::Fpu, encode<op::INCRWC>()},
    {"Sfpu", BusyUnit::Sfpu, encode<op::SFPNOP>()},
    {"Cfg", BusyUnit::Cfg, setc16(1, 1)},
    {"Xmov", BusyUnit::Xmov, encode<op::XMOV>()},
    {"Sync", BusyUnit::Sync, seminit(1, 0, 15)},
    {"Misc", BusyUnit::Misc, encode<op::SETADC>()},
};

class UnitWindow : public testing::TestWithParam<UnitWord> {};

TEST_P(UnitWindow, of_an_instruction_is_one_cycle_of_its_own_unit_and_no_other) {
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    Harness harness;
    harness.push(thread, GetParam().word);
    EXPECT_FALSE(harness.coprocessor.drained(thread));
    const Cycle issued = harness.now;
    harness.cycle();
    ASSERT_EQ(harness.coprocessor.instructions_executed(thread), 1u);
    const State& state = harness.state();
    for (unsigned other = 0; other < kThreads; ++other) {
      for (unsigned unit = 0; unit < kBusyUnits; ++unit) {
        const bool own = other == thread && unit == static_cast<unsigned>(GetParam().unit);
        EXPECT_EQ(state.busy_until[other][unit], own ? issued + 1 : 0) << other << " " << unit;
      }
    }
    EXPECT_TRUE(harness.coprocessor.drained(thread)) << "the window has ended with its cycle";
    EXPECT_TRUE(harness.faults.faults().empty());
  }
}

TEST_P(UnitWindow, that_is_longer_holds_tensix_sync_and_shows_in_the_status_until_its_end) {
  Timing timing;
  timing.duration[opcode_of(GetParam().word)].latency = 6;
  Harness harness(&timing);
  harness.push(1, GetParam().word);
  harness.cycle();
  ASSERT_EQ(harness.coprocessor.instructions_executed(1), 1u);
  const u32 status = harness.coprocessor.backend_status(1);
  EXPECT_NE(status, 0u);
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(harness.coprocessor.drained(1)) << i;
    EXPECT_TRUE(harness.coprocessor.drained(0));
    EXPECT_EQ(harness.coprocessor.backend_status(1), status);
    harness.run(1);
  }
  EXPECT_TRUE(harness.coprocessor.drained(1));
  EXPECT_EQ(harness.coprocessor.backend_status(1), 0u);
}

TEST_P(UnitWindow, makes_the_next_instruction_of_its_unit_wait_for_the_occupancy) {
  const u8 opcode = opcode_of(GetParam().word);
  if (kDecoded[opcode].accept == 0) GTEST_SKIP() << "taken from every thread in every cycle";
  Timing timing;
  timing.duration[opcode] = {.latency = 9, .occupancy = 4};
  Harness harness(&timing);
  harness.push(1, GetParam().word);
  harness.push(2, GetParam().word);
  const Cycle begin = harness.now;
  while (harness.coprocessor.instructions_executed(2) == 0 && harness.now < begin + 20)
    harness.cycle();
  EXPECT_EQ(harness.now, begin + 5) << "issued in the fifth cycle";
}

TEST(Windows, an_instruction_of_the_scalar_unit_holds_back_whatever_its_thread_has_next) {
  const Timing timing = Timing::typical();
  Harness harness(&timing);
  harness.push(0, {encode<op::ADDDMAREG>({{"op_b_is_const", 1}}), encode<op::INCRWC>()});
  harness.push(1, encode<op::INCRWC>());
  EXPECT_EQ(harness.cycle().size(), 2u) << "ADDDMAREG, and the other thread's INCRWC";
  EXPECT_EQ(harness.cycle().size(), 0u);
  EXPECT_EQ(harness.cycle().size(), 0u);
  EXPECT_EQ(harness.cycle().size(), 1u) << "three cycles later";
}

TEST(Windows, that_are_longer_hold_stallwait_for_their_unit) {
  Timing timing;
  timing.duration[op::INCRWC::kOpcode].latency = 8;
  Harness harness(&timing);
  harness.push(0, {encode<op::INCRWC>(), stallwait(1u << 5, 1u << 4), mark(3)});
  harness.run(8);
  EXPECT_EQ(harness.gpr(0, 50), 0u);
  harness.run(3);
  EXPECT_EQ(harness.gpr(0, 50), 3u);
}

TEST(Windows, of_who_moves_data_grow_with_it) {
  Timing timing;
  timing.duration[op::XMOV::kOpcode] = {.latency = 1, .occupancy = 1, .per_kib = 64};
  Harness harness(&timing);
  ConfigWords& words = harness.state().cfg.bank[0];
  words[88] = 0x500;
  words[89] = 0x600;
  words[90] = 64u | 3u << 30;  // 1 KiB from L1 to L1
  harness.push(0, encode<op::XMOV>());
  const Cycle issued = harness.now;
  harness.cycle();
  EXPECT_EQ(harness.state().mover.busy_until, issued + 65);
}

/// Thread 0 loads a word of L1 that a core changes some cycles later.
u32 loaded_beside_a_core(Placement placement, u64 seed) {
  Timing timing = Timing::typical();
  timing.placement = placement;
  timing.seed = seed;
  Harness harness(&timing);
  harness.l1.write32(0x4000, 7, {});
  harness.gpr(0, 4) = 0x400;
  harness.push(
      0,
      {encode<op::LOADIND>(
          {{"size_sel", 1}, {"addr_reg_index", 4}, {"data_reg_index", 8}, {"offset_index", 20}})});
  harness.run(5);
  harness.l1.write32(0x4000, 99, harness.core());
  harness.run(20);
  return harness.gpr(0, 8);
}

TEST(Effects, land_at_issue_at_the_end_or_where_the_seed_says) {
  EXPECT_EQ(loaded_beside_a_core(Placement::Issue, 0), 7u);
  EXPECT_EQ(loaded_beside_a_core(Placement::End, 0), 99u);
  u32 early = 0;
  u32 late = 0;
  for (u64 seed = 0; seed < 64; ++seed) {
    const u32 loaded = loaded_beside_a_core(Placement::Drawn, seed);
    EXPECT_EQ(loaded, loaded_beside_a_core(Placement::Drawn, seed)) << "one seed, one run";
    (loaded == 7u ? early : late) += 1;
  }
  EXPECT_GT(early, 8u);
  EXPECT_GT(late, 8u);
}

/// Thread 1 reads with WRCFG what thread 0 loads, after a semaphore but without a wait for the
/// load.
u32 configured_with(Placement placement, bool waits) {
  Timing timing = Timing::typical();
  timing.placement = placement;
  Harness harness(&timing);
  harness.l1.write32(0x4000, 7, {});
  harness.gpr(0, 4) = 0x400;
  harness.semaphore(1) = {0, 15};
  harness.push(
      0,
      encode<op::LOADIND>(
          {{"size_sel", 1}, {"addr_reg_index", 4}, {"data_reg_index", 8}, {"offset_index", 20}}));
  if (waits) harness.push(0, stallwait(0x1FF, 1u << 0));
  harness.push(0, {encode<op::WRCFG>({{"cfg_reg", 100}, {"gpr_address", 8}}), sempost(2)});
  // The other thread takes over what the first has configured.
  harness.push(1,
               {semwait(0x1FF, 2, 1), encode<op::RDCFG>({{"cfg_reg", 100}, {"gpr_address", 9}})});
  harness.run(60);
  return harness.gpr(1, 9);
}

TEST(Effects, that_land_late_show_a_program_of_two_threads_that_does_not_wait_for_a_load) {
  EXPECT_EQ(configured_with(Placement::Issue, false), 7u);
  EXPECT_EQ(configured_with(Placement::End, false), 0u) << "the race shows";
  EXPECT_EQ(configured_with(Placement::Issue, true), 7u);
  EXPECT_EQ(configured_with(Placement::End, true), 7u) << "STALLWAIT on C0 mends it";
}

/// An observer hears of each effect when it lands, and when a latched wait is lifted.
struct EffectLog final : trace::Observer {
  void issued(const trace::Issue& issue) override {
    if (opcode_of(issue.operation.author.pc) == op::LOADIND::kOpcode)
      issued_at = issue.operation.issue;
    landed_before_issue = landed_at.size();
  }
  void landed(const trace::Landing& landing) override {
    EXPECT_EQ(landing.what, trace::Landing::What::Effect);
    landed_at.push_back(landing.author.cycle);
    for (const Touch& touch : *landing.touches) touches.push_back(touch);
  }
  void lifted(const trace::Lift& lift) override { lifts.push_back(lift); }

  Cycle issued_at = 0;
  std::size_t landed_before_issue = 0;
  std::vector<Cycle> landed_at;
  std::vector<Touch> touches;
  std::vector<trace::Lift> lifts;
};

/// In either build, with the observer told of everything.
void run_followed(Harness& harness, Cycle cycles) {
  harness.coprocessor.run_followed(harness.now, harness.now + cycles, nullptr);
  harness.now += cycles;
}

TEST(Effects, are_told_to_an_observer_when_they_land_with_what_they_touch) {
  const u32 load = encode<op::LOADIND>(
      {{"size_sel", 1}, {"addr_reg_index", 4}, {"data_reg_index", 8}, {"offset_index", 20}});
  for (const bool plain : {true, false}) {
    for (const Placement placement : {Placement::Issue, Placement::End}) {
      Timing timing = Timing::typical();
      timing.placement = placement;
      Harness harness(plain ? nullptr : &timing);
      EffectLog log;
      harness.coprocessor.set_observer(&log);
      harness.gpr(0, 4) = 0x400;
      harness.push(0, load);
      run_followed(harness, 20);
      if (plain) {
        EXPECT_TRUE(log.landed_at.empty()) << "there are no windows";
        continue;
      }
      ASSERT_EQ(log.landed_at.size(), 1u);
      const Cycle latency = timing.duration[op::LOADIND::kOpcode].latency;
      const bool early = placement == Placement::Issue;
      EXPECT_EQ(log.landed_at[0], log.issued_at + (early ? 0 : latency));
      EXPECT_EQ(log.landed_before_issue, early ? 1u : 0u);
      ASSERT_EQ(log.touches.size(), 2u);
      EXPECT_EQ(log.touches[0], (Touch{Space::L1, Access::Read, 0x4000, 4}));
      EXPECT_EQ(log.touches[1], (Touch{Space::Gpr, Access::Write, 8, 1}));
    }
  }
}

TEST(Windows, that_hold_a_latched_wait_are_told_to_an_observer_when_it_is_lifted) {
  for (const bool plain : {true, false}) {
    const Timing timing = Timing::typical();
    Harness harness(plain ? nullptr : &timing);
    EffectLog log;
    harness.coprocessor.set_observer(&log);
    harness.semaphore(1) = {0, 15};
    const u32 wait = semwait(0x1FF, 2, 1);
    harness.push(1, {wait, mark(3)});
    run_followed(harness, 10);
    EXPECT_TRUE(log.lifts.empty());
    harness.push(0, sempost(2));
    run_followed(harness, 10);
    ASSERT_EQ(log.lifts.size(), 1u);
    EXPECT_EQ(log.lifts[0].author.agent, Agent::Thread1);
    EXPECT_EQ(log.lifts[0].author.pc, wait);
    EXPECT_EQ(log.lifts[0].thread, 1u);
    EXPECT_EQ(log.lifts[0].op, 1u) << "the wait was its first instruction";
    EXPECT_EQ(harness.gpr(1, 50), 3u);
  }
}

/// An observer sees every operation with its author and its window.
TEST(Windows, are_told_to_an_observer_with_their_authors) {
  struct Log final : trace::Observer {
    void issued(const trace::Issue& issue) override { operations.push_back(issue.operation); }
    std::vector<Operation> operations;
  } log;
  const Timing timing = Timing::typical();
  Harness harness(&timing);
  harness.coprocessor.set_observer(&log);
  harness.push(1, {encode<op::REPLAY>({{"len", 2}, {"load_mode", 1}}), mark(1), mark(2),
                   encode<op::REPLAY>({{"len", 2}}), seminit(1, 0, 15)});
  harness.run(20);
  ASSERT_EQ(log.operations.size(), 3u);
  EXPECT_EQ(log.operations[0].author.agent, Agent::Thread1);
  EXPECT_EQ(log.operations[0].author.pc, mark(1));
  EXPECT_EQ(log.operations[0].author.origin, Origin::Replay);
  EXPECT_EQ(log.operations[0].unit, BusyUnit::Thcon);
  EXPECT_EQ(log.operations[0].end - log.operations[0].begin, 2u);
  EXPECT_EQ(log.operations[2].author.origin, Origin::Queue);
  EXPECT_EQ(log.operations[2].unit, BusyUnit::Sync);
}

INSTANTIATE_TEST_SUITE_P(Every, UnitWindow, testing::ValuesIn(kUnitWords),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Windows, every_instruction_keeps_the_unit_of_its_row_busy) {
  for (const Info& info : kInfo) {
    if (info.name == nullptr || info.unit == Unit::Frontend) continue;
    const BusyUnit busy = kDecoded[info.opcode].busy;
    BusyUnit expected = BusyUnit::Misc;
    for (const auto& [unit, name] : {std::pair{Unit::Thcon, BusyUnit::Thcon},
                                     {Unit::Unpack, BusyUnit::Unpack0},
                                     {Unit::Pack, BusyUnit::Pack},
                                     {Unit::Fpu, BusyUnit::Fpu},
                                     {Unit::Sfpu, BusyUnit::Sfpu},
                                     {Unit::Cfg, BusyUnit::Cfg},
                                     {Unit::Xmov, BusyUnit::Xmov},
                                     {Unit::Sync, BusyUnit::Sync}}) {
      if (unit == info.unit) expected = name;
    }
    EXPECT_EQ(busy, expected) << info.name;
  }
}

TEST(Windows, c12_holds_a_thread_as_long_as_another_keeps_the_configuration_unit_busy) {
  Harness harness;
  harness.push(1, {stallwait(0x1FF, 1u << 12), mark(7)});
  for (u32 i = 0; i < 20; ++i) harness.push(0, setc16(1, i));
  harness.run(20);
  EXPECT_EQ(harness.gpr(1, 50), 0u);
  harness.run(3);
  EXPECT_EQ(harness.gpr(1, 50), 7u);
}

TEST(Windows, c9_sees_the_mover_of_any_thread_and_the_commands_of_the_cores) {
  for (const bool by_core : {false, true}) {
    Harness harness;
    ConfigWords& words = harness.state().cfg.bank[0];
    words[88] = 0x500;
    words[89] = 0x600;
    words[90] = 1u | 3u << 30;
    harness.push(1, stallwait(0x1FF, 1u << 9));
    harness.cycle();
    if (by_core) {
      harness.coprocessor.write_tdma(0x00, 0x500, harness.core());
      harness.coprocessor.write_tdma(0x04, 0x600, harness.core());
      harness.coprocessor.write_tdma(0x08, 1, harness.core());
      harness.coprocessor.write_tdma(0x0C, 3, harness.core());
      harness.coprocessor.write_tdma(0x10, 0x40, harness.core());
    } else {
      harness.push(0, encode<op::XMOV>());
      harness.cycle();
    }
    EXPECT_GT(harness.state().mover.busy_until, by_core ? harness.now : harness.now - 1);
    harness.push(1, mark(3));
    harness.run(5);
    EXPECT_EQ(harness.gpr(1, 50), 3u);
  }
}

TEST(Windows, c7_and_c8_hold_until_the_unpackers_hand_their_banks_over) {
  for (const u32 unpacker : {0u, 1u}) {
    Harness harness;
    harness.push(1, {stallwait(0x1FF, 1u << (7 + unpacker)), mark(4)});
    harness.run(10);
    EXPECT_TRUE(harness.coprocessor.asleep());
    harness.execute(
        0, {encode<op::UNPACR_NOP>(
               {{"unpack_pop", 2}, {"set_dvalid", 1}, {"unpacker_select", 1 - unpacker}})});
    harness.run(5);
    EXPECT_EQ(harness.gpr(1, 50), 0u) << "the other unpacker's bank";
    harness.execute(0, {encode<op::UNPACR_NOP>(
                           {{"unpack_pop", 2}, {"set_dvalid", 1}, {"unpacker_select", unpacker}})});
    harness.run(5);
    EXPECT_EQ(harness.gpr(1, 50), 4u);
  }
}

TEST(Windows, c5_and_c6_hold_while_the_matrix_unit_has_the_unpackers_next_bank) {
  for (const u32 file : {0u, 1u}) {
    Harness harness;
    const u32 hand_over =
        encode<op::UNPACR_NOP>({{"unpack_pop", 2}, {"set_dvalid", 1}, {"unpacker_select", file}});
    harness.execute(0, {hand_over});
    harness.execute(2, {stallwait(0x1FF, 1u << (5 + file)), mark(1)});
    EXPECT_EQ(harness.gpr(2, 50), 1u) << "the second bank is free";
    harness.execute(0, {hand_over});
    harness.push(2, {stallwait(0x1FF, 1u << (5 + file)), mark(2)});
    harness.run(10);
    EXPECT_EQ(harness.gpr(2, 50), 1u) << "both banks are full";
    harness.execute(1, {encode<op::CLEARDVALID>({{"cleardvalid", 1u << file}})});
    harness.run(5);
    EXPECT_EQ(harness.gpr(2, 50), 2u);
  }
}

TEST(Windows, an_instruction_that_waits_for_its_bank_holds_tensix_sync) {
  Harness harness;
  harness.push(1, encode<op::TRNSPSRCB>());
  harness.run(10);
  EXPECT_FALSE(harness.coprocessor.drained(1));
  EXPECT_EQ(harness.state().busy_until[1][static_cast<unsigned>(BusyUnit::Fpu)], 0u)
      << "it has not begun";
  harness.execute(
      0, {encode<op::UNPACR_NOP>({{"unpack_pop", 2}, {"set_dvalid", 1}, {"unpacker_select", 1}})});
  harness.run(3);
  EXPECT_TRUE(harness.coprocessor.drained(1));
}

TEST(Windows, each_unit_takes_one_instruction_a_cycle_from_all_threads_together) {
  struct {
    const char* name;
    u32 word;
    std::size_t at_once;
  } const kCases[] = {
      {"scalar unit", mark(1), 1},
      {"unpacker 0", encode<op::UNPACR_NOP>({{"unpack_pop", 2}}), 1},
      {"unpacker 1", encode<op::UNPACR_NOP>({{"unpack_pop", 2}, {"unpacker_select", 1}}), 1},
      {"packer", encode<op::PACR>({{"flush", 1}}), 1},
      {"matrix unit", encode<op::INCRWC>(), 1},
      {"vector unit", encode<op::SFPNOP>(), 1},
      {"configuration unit", encode<op::RDCFG>(), 1},
      {"mover", encode<op::XMOV>(), 1},
      {"sync unit", seminit(1, 0, 15), 1},
      // One a thread.
      {"SETC16", setc16(1, 1), 3},
      {"address counters", encode<op::SETADC>(), 3},
      {"NOP", nop(), 3},
  };
  for (const auto& c : kCases) {
    Harness harness;
    for (unsigned thread = 0; thread < kThreads; ++thread) harness.push(thread, c.word);
    std::size_t done = 0;
    while (done < kThreads) {
      const auto left = harness.cycle();
      ASSERT_EQ(left.size(), c.at_once) << c.name;
      done += left.size();
    }
    EXPECT_TRUE(harness.faults.faults().empty()) << c.name;
  }
}

TEST(Windows, the_two_unpackers_work_at_the_same_time) {
  Harness harness;
  harness.push(0, encode<op::UNPACR_NOP>({{"unpack_pop", 2}}));
  harness.push(1, encode<op::UNPACR_NOP>({{"unpack_pop", 2}, {"unpacker_select", 1}}));
  EXPECT_EQ(harness.cycle().size(), 2u);
}

}  // namespace
}  // namespace bhemu::tensix::test
