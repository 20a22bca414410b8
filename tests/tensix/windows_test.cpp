// Windows, not instants: an instruction keeps its unit busy from its issue to its completion, for
// one cycle in the fast timing; waits and TTSync look at that, and at who owns the Src banks.
#include <gtest/gtest.h>

#include "harness.hpp"
#include "tensix/context.hpp"

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

/// A longer window, as other timings have it, holds TTSync and shows in the status of the units.
TEST_P(UnitWindow, that_is_still_open_holds_tensix_sync_and_shows_in_the_status) {
  Harness harness;
  harness.push(1, GetParam().word);
  harness.cycle();
  Cycle& until = harness.state().busy_until[1][static_cast<unsigned>(GetParam().unit)];
  until = harness.state().quiet_from[1] = harness.now + 5;
  harness.coprocessor.rouse();
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
      harness.coprocessor.write_tdma(0x00, 0x500, harness.now);
      harness.coprocessor.write_tdma(0x04, 0x600, harness.now);
      harness.coprocessor.write_tdma(0x08, 1, harness.now);
      harness.coprocessor.write_tdma(0x0C, 3, harness.now);
      harness.coprocessor.write_tdma(0x10, 0x40, harness.now);
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
