// Sync unit: the wait gate with every condition and block bit, semaphores, mutexes.
#include <gtest/gtest.h>

#include <random>

#include "harness.hpp"
#include "tensix/context.hpp"

namespace bhemu::tensix::test {
namespace {

using Words = std::vector<u32>;

u32 mark(u32 i) {
  return set_half(100, i);
}

/// Cycles from now until thread 0 executes `word` again behind the words pushed; 0: not in 50.
unsigned cycles_until(Harness& harness, unsigned thread, u32 word) {
  for (unsigned i = 1; i <= 50; ++i) {
    for (const auto& [t, left] : harness.cycle()) {
      if (t == thread && left == word) return i;
    }
  }
  return 0;
}

TEST(Stallwait, holds_the_next_instruction_for_one_cycle_even_when_its_condition_is_met) {
  Harness harness;
  harness.push(0, {stallwait(0x20, 0x10), mark(1)});  // FPU idle
  EXPECT_EQ(cycles_until(harness, 0, mark(1)), 3u);
}

TEST(Stallwait, lets_instructions_pass_that_its_block_mask_does_not_cover) {
  Harness harness;
  harness.push(0, {stallwait(0x80, 0x80), mark(1), mark(2), setc16(1, 1), mark(3)});
  EXPECT_EQ(harness.trace(0, 20), (Words{stallwait(0x80, 0x80), mark(1), mark(2)}));
  EXPECT_TRUE(harness.coprocessor.asleep());
}

struct BlockCase {
  const char* name;
  u32 blocked_by;
};

// The table of STALLWAIT.md, one instruction of each kind and the exceptions.
const BlockCase kBlockTable[] = {
    {"ADDDMAREG", 0x21},    {"ADDRCRXY", 0x01},    {"ATCAS", 0x21},       {"ATGETM", 0x02},
    {"CFGSHIFTMASK", 0x80}, {"CLEARDVALID", 0x40}, {"DMANOP", 0x21},      {"ELWADD", 0x40},
    {"FLUSHDMA", 0x21},     {"INCADCZW", 0x01},    {"INCRWC", 0x40},      {"LOADREG", 0x21},
    {"NOP", 0x1FF},         {"PACR", 0x05},        {"PACR_SETREG", 0x05}, {"RDCFG", 0x80},
    {"REG2FLOP", 0x21},     {"RMWCIB0", 0x80},     {"RSTDMA", 0x01},      {"SEMGET", 0x02},
    {"SEMINIT", 0x02},      {"SEMPOST", 0x02},     {"SEMWAIT", 0x1FF},    {"SETADC", 0x01},
    {"SETC16", 0x80},       {"SETDMAREG", 0x21},   {"SETDVALID", 0x01},   {"SETRWC", 0x40},
    {"SFPMAD", 0x100},      {"SFPNOP", 0x100},     {"STALLWAIT", 0x1FF},  {"STOREIND", 0x21},
    {"STREAMWAIT", 0x1FF},  {"STREAMWRCFG", 0x80}, {"TRNSPSRCB", 0x40},   {"UNPACR", 0x09},
    {"UNPACR_NOP", 0x09},   {"WRCFG", 0x80},       {"XMOV", 0x11},        {"ZEROACC", 0x40},
};

TEST(Stallwait, blocks_what_the_table_says) {
  for (const BlockCase& row : kBlockTable) {
    const Info* info = find_instruction(row.name);
    ASSERT_NE(info, nullptr) << row.name;
    EXPECT_EQ(kDecoded[info->opcode].blocked_by, row.blocked_by) << row.name;
  }
}

TEST(Stallwait, nop_is_blocked_only_by_a_full_mask) {
  Harness harness;
  harness.push(0, {stallwait(0x0FF, 0x80), nop()});
  harness.run(10);
  EXPECT_EQ(harness.coprocessor.instructions_executed(0), 2u);
  Harness full;
  full.push(0, {stallwait(0x1FF, 0x80), nop()});
  full.run(10);
  EXPECT_EQ(full.coprocessor.instructions_executed(0), 1u);
}

TEST(Stallwait, a_second_wait_waits_for_the_first) {
  Harness harness;
  harness.push(0, {stallwait(0x100, 0x80), stallwait(0x80, 0x10), mark(1)});
  harness.run(10);
  EXPECT_EQ(harness.coprocessor.instructions_executed(0), 1u);
  EXPECT_EQ(harness.state().frontend[0].wait.condition, 0x80);
}

TEST(Stallwait, zero_masks_mean_math_and_thcon_unpackers_packer) {
  Harness harness;
  harness.push(0, stallwait(0, 0));
  harness.cycle();
  EXPECT_EQ(harness.state().frontend[0].wait.block, 1u << 6);
  EXPECT_EQ(harness.state().frontend[0].wait.condition, 0x0Fu);
  EXPECT_EQ(harness.state().frontend[0].wait.kind, WaitKind::Stallwait);
}

/// Each condition: makes it hold, checks that the wait holds, makes it pass, checks that it passes.
class Condition : public testing::TestWithParam<unsigned> {
 protected:
  static void set(Harness& harness, unsigned condition, bool waiting) {
    State& state = harness.state();
    const Cycle until = waiting ? harness.now + 1000 : 0;
    const auto busy = [&](unsigned thread, BusyUnit unit) {
      state.busy_until[thread][static_cast<unsigned>(unit)] = until;
    };
    switch (condition) {
      case 0:
        busy(0, BusyUnit::Thcon);
        break;
      case 1:
        busy(0, BusyUnit::Unpack0);
        break;
      case 2:
        busy(0, BusyUnit::Unpack1);
        break;
      case 3:
        busy(0, BusyUnit::Pack);
        break;
      case 4:
        busy(0, BusyUnit::Fpu);
        break;
      case 5:
        state.fpu.src_a.owner[0] = waiting ? SrcOwner::Matrix : SrcOwner::Unpacker;
        break;
      case 6:
        state.fpu.src_b.owner[0] = waiting ? SrcOwner::Matrix : SrcOwner::Unpacker;
        break;
      case 7:
        state.fpu.src_a.owner[0] = waiting ? SrcOwner::Unpacker : SrcOwner::Matrix;
        break;
      case 8:
        state.fpu.src_b.owner[0] = waiting ? SrcOwner::Unpacker : SrcOwner::Matrix;
        break;
      case 9:
        state.mover.busy_until = until;
        break;
      case 11:
        busy(0, BusyUnit::Sfpu);
        break;
      case 12:
        busy(2, BusyUnit::Cfg);
        break;  // of any thread
      default:
        break;
    }
  }
};

TEST_P(Condition, holds_the_thread_until_it_is_met) {
  const unsigned condition = GetParam();
  Harness harness;
  for (unsigned other = 0; other < 13; ++other) {
    if (other != condition && other != 10) set(harness, other, false);
  }
  set(harness, condition, true);
  harness.push(0, {stallwait(0x1FF, 1u << condition), mark(1)});
  harness.run(30);
  EXPECT_EQ(harness.coprocessor.instructions_executed(0), 1u);
  EXPECT_TRUE(harness.coprocessor.waiting(0).waiting);
  const Waits waits = harness.coprocessor.waiting(0);
  ASSERT_EQ(waits.all.size(), 1u);
  EXPECT_EQ(waits.all[0].kind, Awaited::Condition);
  EXPECT_EQ(waits.all[0].index, condition);
  EXPECT_EQ(waits.by, stallwait(0x1FF, 1u << condition));
  set(harness, condition, false);
  harness.state().asleep = false;
  harness.run(3);
  EXPECT_EQ(harness.coprocessor.instructions_executed(0), 2u);
}
INSTANTIATE_TEST_SUITE_P(Stallwait, Condition,
                         testing::Values(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12));

TEST(Stallwait, c10_is_met_because_a_cores_store_arrives_at_once) {
  Harness harness;
  harness.push(0, {stallwait(0x1FF, 1u << 10), mark(1)});
  EXPECT_EQ(cycles_until(harness, 0, mark(1)), 3u);
}

TEST(Stallwait, ends_by_itself_when_a_units_window_ends) {
  Harness harness;
  harness.state().busy_until[0][static_cast<unsigned>(BusyUnit::Pack)] = harness.now + 20;
  harness.push(0, {stallwait(0x1FF, 8), mark(1)});
  // The condition is seen met in cycle now + 20; the block is lifted in the one after.
  EXPECT_EQ(cycles_until(harness, 0, mark(1)), 22u);
}

TEST(Stallwait, all_conditions_must_be_met_in_the_same_cycle) {
  Harness harness;
  harness.state().busy_until[0][static_cast<unsigned>(BusyUnit::Pack)] = harness.now + 10;
  harness.state().busy_until[0][static_cast<unsigned>(BusyUnit::Fpu)] = harness.now + 15;
  harness.push(0, {stallwait(0x1FF, 0x18), mark(1)});
  EXPECT_EQ(cycles_until(harness, 0, mark(1)), 17u);
}

TEST(Semaphore, init_post_get_act_on_every_selected_semaphore) {
  Harness harness;
  harness.execute(0, {seminit(0x86, 2, 4), sempost(0x82), semget(0x04)});
  EXPECT_EQ(harness.semaphore(1).value, 3);
  EXPECT_EQ(harness.semaphore(2).value, 1);
  EXPECT_EQ(harness.semaphore(7).value, 3);
  EXPECT_EQ(harness.semaphore(7).max, 4);
  EXPECT_EQ(harness.semaphore(0).max, 0);
  EXPECT_TRUE(harness.faults.faults().empty());
}

TEST(Semaphore, stops_at_15_and_at_0_and_says_so) {
  Harness harness;
  Words words{seminit(1, 14, 15)};
  for (int i = 0; i < 4; ++i) words.push_back(sempost(1));
  harness.execute(0, words);
  EXPECT_EQ(harness.semaphore(0).value, 15);
  EXPECT_TRUE(harness.faulted(Rule::TensixSemaphoreAtCeiling));
  harness.faults.clear();
  harness.execute(0, {seminit(1, 1, 15), semget(1), semget(1)});
  EXPECT_EQ(harness.semaphore(0).value, 0);
  EXPECT_TRUE(harness.faulted(Rule::TensixSemaphoreAtCeiling));
}

TEST(Semaphore, passing_the_maximum_works_and_is_a_warning) {
  Harness harness;
  harness.execute(0, {seminit(2, 1, 1), sempost(2), sempost(2)});
  EXPECT_EQ(harness.semaphore(1).value, 3);
  EXPECT_TRUE(harness.faulted(Rule::TensixSemaphoreOverMax));
  EXPECT_FALSE(harness.faults.stopped());
}

TEST(Semaphore, sempost_wakes_a_waiting_thread_two_cycles_later) {
  Harness harness;
  harness.push(1, {semwait(0x1FF, 4, 1), mark(1)});
  harness.run(10);
  EXPECT_TRUE(harness.coprocessor.asleep());
  harness.push(0, sempost(4));
  // Cycle 1: the post; thread 1, after it in the order, sees the condition met in the same cycle.
  EXPECT_EQ(cycles_until(harness, 1, mark(1)), 2u);
}

TEST(Semaphore, semwait_for_room_waits_while_the_value_is_at_the_maximum) {
  Harness harness;
  harness.execute(0, {seminit(2, 2, 2)});
  harness.push(1, {semwait(0x142, 2, 2), sempost(2)});
  harness.run(10);
  EXPECT_EQ(harness.semaphore(1).value, 2);
  const Waits wait = harness.coprocessor.waiting(1);
  ASSERT_EQ(wait.all.size(), 1u);
  EXPECT_EQ(wait.all[0].kind, Awaited::Semaphore);
  EXPECT_EQ(wait.all[0].index, 1u);
  EXPECT_EQ(wait.all[0].value, 2u);
  EXPECT_EQ(wait.all[0].until, Until::Less);
  EXPECT_EQ(wait.all[0].wanted, 2u);
  EXPECT_EQ(wait.all[0].holders, 0u) << "no SEMGET is queued";
  harness.execute(2, {semget(2)});
  harness.run(5);
  EXPECT_EQ(harness.semaphore(1).value, 2);  // got and posted again
}

TEST(Semaphore, several_selected_semaphores_must_all_be_met) {
  Harness harness;
  harness.push(1, {semwait(0x1FF, 3, 1), mark(1)});
  harness.run(5);
  harness.coprocessor.write_semaphore(0, 0, harness.now);
  harness.run(5);
  EXPECT_EQ(harness.gpr(1, 50), 0u);
  harness.coprocessor.write_semaphore(1, 2, harness.now);
  harness.run(5);
  EXPECT_EQ(harness.gpr(1, 50), 1u);
}

TEST(Semaphore, semwait_without_a_condition_waits_for_the_conditions_c0_to_c3) {
  Harness harness;
  harness.push(0, semwait(0x1FF, 1, 0));
  harness.cycle();
  const LatchedWait& wait = harness.state().frontend[0].wait;
  EXPECT_EQ(wait.kind, WaitKind::Stallwait);
  EXPECT_EQ(wait.condition, 0x0F);
  EXPECT_EQ(wait.block, 0x1FF);
  harness.run(3);
  EXPECT_EQ(wait.kind, WaitKind::None) << "nothing is under way";
  EXPECT_TRUE(harness.faults.faults().empty());
}

TEST(Semaphore, semwait_holds_what_its_block_mask_covers_as_long_as_a_random_model_says) {
  struct Row {
    u32 word;
    u32 blocked_by;
  };
  const Row rows[] = {{mark(1), 0x21},
                      {setc16(1, 1), 0x80},
                      {encode<op::ADDRCRXY>(), 0x01},
                      {encode<op::INCRWC>(), 0x40},
                      {encode<op::SFPNOP>(), 0x100},
                      {sempost(0), 0x02}};
  std::mt19937 random(9);
  for (u32 round = 0; round < 2000; ++round) {
    Harness harness;
    const u32 selected = 1 + random() % 255;
    const u32 condition = 1 + random() % 3;
    const u32 mask = random() % 512;
    bool holds = false;
    for (u32 i = 0; i < kSemaphores; ++i) {
      Semaphore& semaphore = harness.semaphore(i);
      semaphore.value = static_cast<u8>(random() % 4);
      semaphore.max = static_cast<u8>(random() % 5);
      if (!bit(selected, i)) continue;
      holds |= bit(condition, 0) && semaphore.value == 0;
      holds |= bit(condition, 1) && semaphore.value >= semaphore.max;
    }
    const Row& row = rows[random() % std::size(rows)];
    harness.push(0, {semwait(mask, selected, condition), row.word});
    harness.run(8);
    const bool blocked = holds && ((mask != 0 ? mask : 0x40) & row.blocked_by) != 0;
    ASSERT_EQ(harness.coprocessor.instructions_executed(0), blocked ? 1u : 2u)
        << selected << " " << condition << " " << std::hex << mask << " " << row.word;
  }
}

TEST(Semaphore, the_window_reads_the_value_and_posts_or_gets_by_the_low_bit) {
  Harness harness;
  harness.wakeup.watched = mask_of(Resource::Semaphore);
  harness.coprocessor.write_semaphore(3, 0, harness.now);
  harness.coprocessor.write_semaphore(3, 6, harness.now);
  EXPECT_EQ(harness.coprocessor.read_semaphore(3), 2u);
  harness.coprocessor.write_semaphore(3, 1, harness.now);
  EXPECT_EQ(harness.coprocessor.read_semaphore(3), 1u);
  EXPECT_EQ(harness.woken.size(), 3u);
  for (int i = 0; i < 20; ++i) harness.coprocessor.write_semaphore(3, 0, harness.now);
  EXPECT_EQ(harness.coprocessor.read_semaphore(3), 15u);
}

TEST(Semaphore, one_sync_instruction_a_cycle_from_all_threads_together) {
  Harness harness;
  for (unsigned t = 0; t < 3; ++t) harness.push(t, sempost(1));
  harness.run(1);
  EXPECT_EQ(harness.semaphore(0).value, 1);
  harness.run(2);
  EXPECT_EQ(harness.semaphore(0).value, 3);
}

TEST(Semaphore, a_report_names_the_thread_in_whose_queue_the_post_lies) {
  Harness harness;
  harness.push(1, {semwait(0x1FF, 1u << 5, 1), mark(1)});
  harness.push(2, {stallwait(0x1FF, 0x80), sempost(1u << 5)});
  harness.run(10);
  const Waits wait = harness.coprocessor.waiting(1);
  EXPECT_EQ(wait.word, mark(1));
  ASSERT_EQ(wait.all.size(), 1u);
  EXPECT_EQ(wait.all[0].kind, Awaited::Semaphore);
  EXPECT_EQ(wait.all[0].index, 5u);
  EXPECT_EQ(wait.all[0].until, Until::NotEqual);
  EXPECT_EQ(wait.all[0].holders, bit_of(Agent::Thread2));
  const Waits other = harness.coprocessor.waiting(2);
  ASSERT_EQ(other.all.size(), 1u);
  EXPECT_EQ(other.all[0].kind, Awaited::Condition);
  EXPECT_EQ(other.all[0].index, 7u) << "SrcA is valid";
  EXPECT_TRUE(harness.coprocessor.waiting(0).idle);
  EXPECT_FALSE(harness.coprocessor.waiting(0).waiting);
}

TEST(Mutex, is_held_by_one_thread_and_may_be_taken_again_by_its_holder) {
  Harness harness;
  harness.execute(0, {atgetm(0), atgetm(0)});
  harness.push(1, {atgetm(0), mark(1)});
  harness.push(2, {atgetm(2), mark(2)});
  harness.run(10);
  EXPECT_EQ(harness.gpr(1, 50), 0u);
  EXPECT_EQ(harness.gpr(2, 50), 2u) << "another mutex";
  const Waits wait = harness.coprocessor.waiting(1);
  ASSERT_EQ(wait.all.size(), 1u);
  EXPECT_EQ(wait.all[0].kind, Awaited::Mutex);
  EXPECT_EQ(wait.all[0].index, 0u);
  EXPECT_EQ(wait.all[0].holders, bit_of(Agent::Thread0));
  EXPECT_TRUE(harness.coprocessor.asleep());
  harness.execute(0, {atrelm(0)});
  harness.run(3);
  EXPECT_EQ(harness.gpr(1, 50), 1u);
}

TEST(Mutex, goes_to_the_next_thread_in_the_round_when_both_others_wait) {
  for (unsigned first = 0; first < 3; ++first) {
    Harness harness;
    harness.execute(first, {atgetm(4)});
    for (unsigned t = 0; t < 3; ++t) {
      if (t != first) harness.push(t, atgetm(4));
    }
    harness.run(5);
    harness.push(first, atrelm(4));
    harness.run(5);
    EXPECT_EQ(harness.state().sync.mutex[4], (first + 1) % 3);
  }
}

TEST(Mutex, that_does_not_exist_is_a_fault_and_releasing_a_foreign_one_a_warning) {
  for (const u32 index : {1u, 5u, 7u, 300u}) {
    Harness harness;
    harness.push(0, atgetm(index));
    harness.run(3);
    EXPECT_TRUE(harness.faulted(Rule::TensixMutexIndex)) << index;
  }
  Harness harness;
  harness.execute(0, {atgetm(3)});
  harness.execute(1, {atrelm(3)});
  EXPECT_TRUE(harness.faulted(Rule::TensixMutexNotHeld));
  EXPECT_EQ(harness.state().sync.mutex[3], 0);
}

TEST(Streamwait, compares_the_selected_streams_phase_or_message_count) {
  Harness harness;
  harness.execute(0, {setc16(59 + 2, 17), setc16(57, 3), setc16(58, 1)});
  const u32 base = 0xFFB40000 + 17 * 0x1000;
  harness.push(
      0,
      {encode<op::STREAMWAIT>({{"stall_res", 0x1FF}, {"target_value", 5}, {"wait_stream_sel", 2}}),
       mark(1),
       encode<op::STREAMWAIT>(
           {{"stall_res", 0x1FF}, {"target_value", 6}, {"target_sel", 1}, {"wait_stream_sel", 2}}),
       mark(2)});
  harness.registers[base + 29 * 4] = (3u << 10 | 5u) - 1;
  harness.run(10);
  EXPECT_EQ(harness.gpr(0, 50), 0u);
  ASSERT_NE(harness.coprocessor.waiting(0).find(Awaited::StreamPhase), nullptr);
  EXPECT_EQ(harness.coprocessor.waiting(0).find(Awaited::StreamPhase)->wanted, 3u << 10 | 5u);
  EXPECT_TRUE(harness.coprocessor.asleep());
  harness.registers[base + 29 * 4] += 1;
  harness.coprocessor.rouse();
  harness.run(10);
  EXPECT_EQ(harness.gpr(0, 50), 1u);
  harness.registers[base + 259 * 4] = 1u << 10 | 6u;
  harness.coprocessor.rouse();
  harness.run(10);
  EXPECT_EQ(harness.gpr(0, 50), 2u);
}

}  // namespace
}  // namespace bhemu::tensix::test
