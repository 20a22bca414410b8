// FIFOs, BRISC's entry, replay, back-pressure, sleep, and that cutting a run changes nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "harness.hpp"

namespace bhemu::tensix::test {
namespace {

using Words = std::vector<u32>;

u32 mark(u32 i) {
  return set_half(100, i);
}
u32 record(u32 start, u32 count, bool execute) {
  return encode<op::REPLAY>({{"start_idx", start},
                             {"len", count},
                             {"execute_while_loading", execute ? 1u : 0u},
                             {"load_mode", 1}});
}
u32 replay(u32 start, u32 count) {
  return encode<op::REPLAY>({{"start_idx", start}, {"len", count}});
}

TEST(Queue, a_word_pushed_in_a_cycle_is_taken_from_the_next_one_on) {
  Harness harness;
  harness.coprocessor.push(0, mark(1), harness.now);
  EXPECT_TRUE(harness.cycle().empty());
  EXPECT_EQ(harness.cycle().size(), 1u);
}

TEST(Queue, a_thread_executes_one_instruction_a_cycle_in_order) {
  Harness harness;
  for (u32 i = 0; i < 10; ++i) harness.push(0, mark(i));
  for (u32 i = 0; i < 10; ++i) {
    const auto left = harness.cycle();
    ASSERT_EQ(left.size(), 1u);
    EXPECT_EQ(left[0].second, mark(i));
  }
}

TEST(Queue, takes_29_single_words_until_one_has_passed_the_gate) {
  Harness harness;
  harness.push(0, {semwait(0x1FF, 1, 1)});  // until semaphore 0 is posted
  harness.run(3);
  unsigned pushed = 0;
  while (harness.coprocessor.can_push(0)) {
    harness.push(0, mark(pushed));
    ++pushed;
  }
  EXPECT_EQ(pushed, 29u);
  harness.run(5);
  EXPECT_FALSE(harness.coprocessor.can_push(0)) << "what waits at the gate counts";
  for (; harness.coprocessor.can_push_fused(0); ++pushed) harness.push(0, mark(pushed));
  EXPECT_EQ(pushed, 32u);
  EXPECT_TRUE(harness.coprocessor.can_push_from_brisc(0));
  harness.coprocessor.write_semaphore(0, 0, harness.now);
  while (!harness.coprocessor.can_push(0)) ASSERT_EQ(harness.cycle().size() > 1, false);
  EXPECT_EQ(harness.state().frontend[0].executed, 5u) << "the wait, and four words of 32";
}

TEST(Queue, room_and_drain_wake_those_who_watch_before_they_show) {
  Harness harness;
  harness.wakeup.watched = mask_of(Resource::Fifo1) | mask_of(Resource::Thread1);
  harness.push(1, mark(1));
  EXPECT_FALSE(harness.coprocessor.drained(1));
  harness.woken.clear();
  harness.run(1);
  EXPECT_NE(std::find(harness.woken.begin(), harness.woken.end(), Resource::Fifo1),
            harness.woken.end());
  EXPECT_EQ(std::count(harness.woken.begin(), harness.woken.end(), Resource::Thread1), 3)
      << "pop, dispatch, end of the window";
  EXPECT_TRUE(harness.coprocessor.drained(1));
}

TEST(Queue, brisc_enters_behind_the_mop_expander_and_goes_first) {
  Harness harness;
  harness.coprocessor.write_mop_config(0, 0, 1, harness.core());
  harness.coprocessor.write_mop_config(0, 1, 4, harness.core());
  for (u32 i : {2u, 3u, 4u, 6u}) harness.coprocessor.write_mop_config(0, i, nop(), harness.core());
  harness.coprocessor.write_mop_config(0, 5, mark(1), harness.core());
  harness.coprocessor.write_mop_config(0, 7, mark(2), harness.core());
  harness.push(0, encode<op::MOP>({{"mop_type", 1}}));
  Words words = harness.trace(0, 2);
  harness.coprocessor.push_from_brisc(0, mark(50), harness.now - 1);
  const Words rest = harness.trace(0, 6);
  words.insert(words.end(), rest.begin(), rest.end());
  EXPECT_EQ(words, (Words{mark(1), mark(1), mark(50), mark(1), mark(2)}));
}

TEST(Queue, brisc_and_trisc_pushing_in_the_same_cycle_is_reported) {
  Harness harness;
  harness.coprocessor.push(0, mark(1), 50);
  harness.coprocessor.push_from_brisc(0, mark(2), 50);
  EXPECT_EQ(harness.trace(0, 3), (Words{mark(2), mark(1)}));
  EXPECT_TRUE(harness.faulted(Rule::TensixPushCollision));
}

TEST(Replay, records_without_executing_and_plays_back) {
  Harness harness;
  harness.push(
      0, {record(4, 3, false), mark(1), mark(2), mark(3), mark(4), replay(4, 3), replay(5, 2)});
  EXPECT_EQ(harness.trace(0, 20), (Words{mark(4), mark(1), mark(2), mark(3), mark(2), mark(3)}));
}

TEST(Replay, records_while_executing) {
  Harness harness;
  harness.push(0, {record(0, 2, true), mark(1), mark(2), replay(0, 2)});
  EXPECT_EQ(harness.trace(0, 10), (Words{mark(1), mark(2), mark(1), mark(2)}));
}

TEST(Replay, the_buffer_wraps_at_32_and_a_count_of_0_is_32) {
  Harness harness;
  harness.push(0, {record(30, 4, false), mark(1), mark(2), mark(3), mark(4), replay(30, 4)});
  EXPECT_EQ(harness.trace(0, 20), (Words{mark(1), mark(2), mark(3), mark(4)}));
  EXPECT_EQ(harness.state().frontend[0].replay[1], mark(4));
  for (u32 i = 0; i < 32; ++i) harness.state().frontend[0].replay[i] = mark(i);
  harness.push(0, replay(5, 0));
  const Words words = harness.trace(0, 80);
  ASSERT_EQ(words.size(), 32u);
  for (u32 i = 0; i < 32; ++i) EXPECT_EQ(words[i], mark((5 + i) % 32));
}

TEST(Replay, playback_has_no_gap_and_each_thread_has_its_own_buffer) {
  Harness harness;
  harness.push(0, {record(0, 2, false), mark(1), mark(2)});
  harness.push(1, {record(0, 2, false), mark(3), mark(4)});
  harness.run(5);
  harness.push(0, {replay(0, 2), replay(0, 2), mark(9)});
  harness.push(1, replay(0, 2));
  EXPECT_EQ(harness.cycle().size(), 1u) << "SETDMAREG: the scalar unit takes one a cycle";
  EXPECT_EQ(harness.trace(0, 4).size(), 4u);
}

TEST(Replay, a_mop_can_emit_replays) {
  Harness harness;
  harness.push(0, {record(16, 2, false), mark(1), mark(2)});
  harness.run(5);
  const std::array<u32, 9> config = {1,     3,       nop(),  nop(), nop(), replay(16, 2),
                                     nop(), mark(3), mark(4)};
  for (u32 i = 0; i < 9; ++i) harness.coprocessor.write_mop_config(0, i, config[i], harness.core());
  harness.push(0, encode<op::MOP>({{"mop_type", 1}}));
  EXPECT_EQ(harness.trace(0, 10), (Words{mark(1), mark(2), mark(1), mark(2), mark(3)}));
}

TEST(Frontend, three_threads_advance_together_and_share_a_unit_in_fixed_order) {
  Harness harness;
  for (unsigned t = 0; t < 3; ++t) harness.push(t, {setc16(1, 5), mark(t)});
  EXPECT_EQ(harness.cycle().size(), 3u) << "SETC16: one a thread";
  for (unsigned t = 0; t < 3; ++t) {
    const auto left = harness.cycle();
    ASSERT_EQ(left.size(), 1u);
    EXPECT_EQ(left[0].first, t);
  }
}

TEST(Frontend, an_unknown_opcode_stops_its_thread_and_no_other) {
  Harness harness;
  harness.push(0, {0xFF000000, mark(1)});
  harness.push(1, mark(2));
  harness.run(5);
  EXPECT_TRUE(harness.faulted(Rule::TensixUnknownOpcode));
  EXPECT_EQ(harness.faults.faults()[0].agent, Agent::Thread0);
  EXPECT_EQ(harness.faults.faults()[0].pc, 0xFF000000u);
  EXPECT_EQ(harness.coprocessor.instructions_executed(0), 0u);
  EXPECT_EQ(harness.coprocessor.instructions_executed(1), 1u);
  EXPECT_NE(harness.coprocessor.waiting(0).find(Awaited::Fault), nullptr);
}

TEST(Frontend, resourcedecl_never_reaches_the_gate) {
  Harness harness;
  harness.push(0, {encode<op::RESOURCEDECL>({{"op_class", 3}}), mark(1)});
  EXPECT_EQ(harness.trace(0, 5), (Words{mark(1)}));
}

TEST(Sleep, begins_when_nothing_can_change_and_ends_with_any_input) {
  Harness harness;
  EXPECT_TRUE(harness.coprocessor.asleep());
  harness.push(0, {semwait(0x1FF, 1, 1), mark(1)});
  EXPECT_FALSE(harness.coprocessor.asleep());
  harness.run(20);
  EXPECT_TRUE(harness.coprocessor.asleep());
  const u64 hash = harness.coprocessor.hash(0);
  harness.run(1000);
  EXPECT_EQ(harness.coprocessor.hash(0), hash);
  harness.coprocessor.write_semaphore(0, 0, harness.now);
  EXPECT_FALSE(harness.coprocessor.asleep());
  harness.run(3);
  EXPECT_EQ(harness.gpr(0, 50), 1u);
  harness.run(5);
  EXPECT_TRUE(harness.coprocessor.asleep());
}

TEST(Sleep, covers_a_wait_for_a_word_in_l1_and_marks_its_line) {
  Harness harness;
  harness.push(0, {encode<op::ATCAS>({{"cmp_val", 3}, {"swap_val", 5}}), mark(1)});
  harness.run(20);
  EXPECT_TRUE(harness.coprocessor.asleep());
  EXPECT_EQ(harness.l1.flags_at(0), L1::kPolled);
  ASSERT_NE(harness.coprocessor.waiting(0).find(Awaited::ComparedWord), nullptr);
  EXPECT_EQ(harness.coprocessor.waiting(0).find(Awaited::ComparedWord)->address, 0u);
  harness.l1.write32(0, 3, {});
  harness.coprocessor.rouse();  // what the tile does when a marked line is written
  harness.run(3);
  EXPECT_EQ(harness.gpr(0, 50), 1u);
  EXPECT_EQ(harness.l1.read32(0), 5u);
}

TEST(Sleep, waits_for_a_word_pushed_ahead_of_time) {
  Harness harness;
  harness.coprocessor.push(0, mark(1), harness.now + 10);
  harness.run(10);
  EXPECT_FALSE(harness.coprocessor.asleep());
  EXPECT_EQ(harness.gpr(0, 50), 0u);
  harness.run(2);
  EXPECT_EQ(harness.gpr(0, 50), 1u);
}

/// A soup of instructions in which threads wait for each other.
Words random_program(std::mt19937& random) {
  Words words;
  const auto pick = [&](u32 count) { return static_cast<u32>(random()) % count; };
  for (int i = 0; i < 60; ++i) {
    const u32 reg = pick(64);
    switch (random() % 10) {
      case 0:
        words.push_back(seminit(1u << pick(8), pick(3), 15));
        break;
      case 1:
      case 2:
        words.push_back(sempost(pick(0x100)));
        break;
      case 3:
        words.push_back(semwait(1u << pick(9), 1u << pick(8), 1));
        break;
      case 4:
        words.push_back(stallwait(pick(0x200), pick(0x2000) & 0x1E1F));
        break;
      case 5:
        words.push_back(setc16(pick(60), pick(0x10000)));
        break;
      case 6:
        words.push_back(encode<op::ADDDMAREG>({{"op_a_reg_index", reg},
                                               {"op_b_reg_index", pick(64)},
                                               {"result_reg_index", pick(64)},
                                               {"op_b_is_const", 1}}));
        break;
      case 7:
        words.push_back(encode<op::WRCFG>({{"gpr_address", reg}, {"cfg_reg", 64 + pick(90)}}));
        break;
      case 8:
        words.push_back(encode<op::REPLAY>(
            {{"start_idx", reg % 32}, {"len", 3}, {"load_mode", 1}, {"execute_while_loading", 1}}));
        break;
      default:
        words.push_back(set_half(pick(128), pick(0x10000)));
        break;
    }
  }
  return words;
}

TEST(Queue, a_replay_of_more_than_the_32_slots_of_the_buffer_breaks_a_rule) {
  for (const u32 count : {0u, 1u, 32u, 33u, 63u}) {
    Harness harness;
    std::ranges::fill(harness.state().frontend[0].replay, encode<op::NOP>());
    harness.push(0, {replay(0, count)});
    harness.run(80);
    EXPECT_EQ(harness.faulted(Rule::TensixReplayLength), count > 32) << count;
    EXPECT_EQ(harness.state().frontend[0].executed, count == 0 ? 32u : count);
  }
}

TEST(Determinism, one_call_and_many_small_calls_give_the_same_hash) {
  for (u32 seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    std::array<Words, 3> programs;
    for (Words& program : programs) program = random_program(random);
    Harness whole;
    Harness cut;
    cut.wakeup.watched = seed % 2 == 0 ? 0 : ~0u;  // being watched changes nothing either
    std::mt19937 cuts(seed + 1000);
    std::array<std::size_t, 3> next{};
    for (int burst = 0; burst < 12; ++burst) {
      for (unsigned t = 0; t < 3; ++t) {
        const std::size_t count = random() % 20;
        for (std::size_t i = 0; i < count && next[t] < programs[t].size(); ++i) {
          ASSERT_EQ(whole.coprocessor.can_push(t), cut.coprocessor.can_push(t));
          if (!whole.coprocessor.can_push(t)) break;
          const Cycle stamp = whole.now + random() % 7;
          whole.coprocessor.push(t, programs[t][next[t]], stamp);
          cut.coprocessor.push(t, programs[t][next[t]], stamp);
          ++next[t];
        }
      }
      constexpr Cycle kSpan = 40;
      whole.run(kSpan);
      for (Cycle done = 0; done < kSpan;) {
        const Cycle step = std::min<Cycle>(1 + cuts() % 5, kSpan - done);
        cut.run(step);
        done += step;
      }
      ASSERT_EQ(whole.coprocessor.hash(1), cut.coprocessor.hash(1)) << "seed " << seed;
      ASSERT_EQ(whole.coprocessor.asleep(), cut.coprocessor.asleep()) << "seed " << seed;
      for (unsigned t = 0; t < 3; ++t)
        ASSERT_EQ(whole.coprocessor.drained(t), cut.coprocessor.drained(t));
    }
  }
}

TEST(Status, queue_status_shows_types_per_thread_and_together) {
  Harness harness;
  harness.push(0, {stallwait(0x1FF, 0x80), sempost(1)});
  harness.push(1, {stallwait(0x1FF, 0x80), encode<op::WRCFG>(), encode<op::MOP>()});
  harness.run(4);
  const u32 sync = 1u << 7;
  const u32 cfg = 1u << 6;
  const u32 mop = 1u << 1;
  EXPECT_EQ(harness.coprocessor.queue_status(0) & 0x7FF, sync);
  EXPECT_EQ(harness.coprocessor.queue_status(1) & 0x7FF, cfg | mop);
  EXPECT_EQ(harness.coprocessor.queue_status(2) & 0x7FF, 0u);
  EXPECT_EQ(harness.coprocessor.queue_status(2) >> 13 & 0x7FF, sync | cfg | mop);
  EXPECT_EQ(harness.coprocessor.backend_status(1) & 0x7FF, cfg | mop);
  EXPECT_EQ(harness.coprocessor.backend_status(kThreads) & 0x7FF, sync | cfg | mop);
  // A MOP whose expansion fits behind the gate does not keep its expander.
  EXPECT_TRUE(harness.coprocessor.mop_drained(1));
  EXPECT_TRUE(harness.coprocessor.mop_drained(0));
}

TEST(Reset, of_a_trisc_drops_what_its_mop_expander_has_and_its_pcbuf) {
  Harness harness;
  harness.push(1, {stallwait(0x1FF, 0x80), mark(1), mark(2), mark(3)});
  harness.run(5);
  harness.coprocessor.pcbuf_push(1, 7, harness.now);
  harness.coprocessor.set_soft_reset(1u << 13, harness.now);
  EXPECT_TRUE(harness.state().frontend[1].fifo.empty());
  EXPECT_FALSE(harness.coprocessor.pcbuf_empty(1));
  harness.coprocessor.set_soft_reset(0, harness.now);
  EXPECT_TRUE(harness.coprocessor.pcbuf_empty(1));
}

TEST(Reset, holds_back_the_instructions_of_a_unit_in_reset) {
  Harness harness;
  harness.coprocessor.set_soft_reset(1u << 9, harness.now);
  harness.push(0, {mark(3), encode<op::ADDDMAREG>({{"op_b_is_const", 1}, {"op_b_reg_index", 9}})});
  harness.run(10);
  EXPECT_EQ(harness.coprocessor.instructions_executed(0), 1u) << "SETDMAREG still works";
  EXPECT_TRUE(harness.coprocessor.asleep());
  EXPECT_NE(harness.coprocessor.waiting(0).find(Awaited::SoftReset), nullptr);
  harness.coprocessor.set_soft_reset(0, harness.now);
  harness.run(2);
  EXPECT_EQ(harness.gpr(0, 0), 9u);
}

TEST(Pcbuf, holds_16_values_in_order) {
  Harness harness;
  for (u32 i = 0; i < 16; ++i) harness.coprocessor.pcbuf_push(2, i, harness.now);
  EXPECT_TRUE(harness.coprocessor.pcbuf_full(2));
  EXPECT_FALSE(harness.coprocessor.pcbuf_full(1));
  for (u32 i = 0; i < 16; ++i) EXPECT_EQ(harness.coprocessor.pcbuf_pop(2, harness.now), i);
  EXPECT_TRUE(harness.coprocessor.pcbuf_empty(2));
}

}  // namespace
}  // namespace bhemu::tensix::test
