// The MOP expander against sequences computed by hand and against a model written from the text.
#include <gtest/gtest.h>

#include <random>

#include "frontend_mop_model.hpp"
#include "harness.hpp"
#include "tensix/frontend/frontend.hpp"

namespace bhemu::tensix::test {
namespace {

using Words = std::vector<u32>;
using Config = std::array<u32, kMopConfigWords>;

/// Eight words that can be told apart and do nothing that matters.
u32 mark(u32 i) {
  return set_half(100, i);
}

void configure(Harness& harness, unsigned thread, const Config& config) {
  for (u32 i = 0; i < kMopConfigWords; ++i)
    harness.coprocessor.write_mop_config(thread, i, config[i], harness.core());
}

u32 mop0(u32 count, u32 mask) {
  return encode<op::MOP>({{"loop_count", count}, {"zmask_lo16_or_loop_count", mask}});
}
u32 mop1() {
  return encode<op::MOP>({{"mop_type", 1}});
}

TEST(Mop, template_1_frames_two_loops_and_overrides_the_last_iterations) {
  Harness harness;
  configure(harness, 1, {2, 3, mark(1), mark(2), mark(3), mark(4), nop(), mark(5), mark(6)});
  harness.push(1, mop1());
  const Words expected = {
      mark(1), mark(4), mark(4), mark(6), mark(2), mark(3),  // outer 0, last inner: Loop1Last
      mark(1), mark(4), mark(4), mark(5), mark(2), mark(3),  // outer 1, last inner: Loop0Last
  };
  EXPECT_EQ(harness.trace(1, 20), expected);
  EXPECT_TRUE(harness.coprocessor.mop_drained(1));
}

TEST(Mop, template_1_alternates_two_loop_instructions_twice_as_often) {
  Harness harness;
  configure(harness, 0, {1, 2, nop(), nop(), mark(9), mark(1), mark(2), mark(3), mark(4)});
  harness.push(0, mop1());
  EXPECT_EQ(harness.trace(0, 10), (Words{mark(1), mark(2), mark(1), mark(3)}));
}

TEST(Mop, template_1_skips_the_second_end_instruction_when_the_first_is_a_nop) {
  Harness harness;
  configure(harness, 0, {2, 1, nop(), nop(), mark(9), mark(1), nop(), mark(2), mark(3)});
  harness.push(0, mop1());
  EXPECT_EQ(harness.trace(0, 10), (Words{mark(3), mark(2)}));
}

TEST(Mop, template_1_with_an_empty_loop_and_an_end_instruction_runs_129_times) {
  Harness harness;
  configure(harness, 0, {1, 0, nop(), mark(7), nop(), mark(1), nop(), mark(2), mark(3)});
  harness.push(0, mop1());
  EXPECT_EQ(harness.trace(0, 200), Words(129, mark(7)));
}

TEST(Mop, template_1_inner_count_256_runs_256_times_and_the_outer_count_has_7_bits) {
  Harness harness;
  configure(harness, 0, {129, 256, nop(), nop(), nop(), mark(1), nop(), mark(2), mark(3)});
  harness.push(0, mop1());
  const Words words = harness.trace(0, 400);
  ASSERT_EQ(words.size(), 256u);
  EXPECT_EQ(words.front(), mark(1));
  EXPECT_EQ(words.back(), mark(2));
}

TEST(Mop, dmanop_is_not_a_nop_to_the_expander) {
  Harness harness;
  const u32 dmanop = encode<op::DMANOP>();
  configure(harness, 0, {1, 1, dmanop, nop(), nop(), mark(1), nop(), mark(2), mark(3)});
  harness.push(0, mop1());
  EXPECT_EQ(harness.trace(0, 5), (Words{dmanop, mark(2)}));
}

TEST(Mop, template_0_takes_its_high_mask_from_mop_cfg) {
  Harness harness;
  // Flags 3: A0 to A3 and B; skips are A and B.
  configure(harness, 2, {0, 3, mark(1), mark(2), mark(3), mark(4), mark(5), mark(6), mark(7)});
  harness.push(2, encode<op::MOP_CFG>({{"zmask_hi16", 1}}));
  harness.push(2, mop0(16, 0x0002));
  Words expected;
  for (u32 i = 0; i <= 16; ++i) {
    const bool skip = i == 1 || i == 16;
    if (skip) {
      expected.insert(expected.end(), {mark(6), mark(7)});
    } else {
      expected.insert(expected.end(), {mark(2), mark(3), mark(4), mark(5), mark(1)});
    }
  }
  EXPECT_EQ(harness.trace(2, 200), expected);
}

TEST(Mop, template_0_without_flags_emits_one_word_per_iteration) {
  Harness harness;
  configure(harness, 0, {0, 0, mark(1), mark(2), mark(3), mark(4), mark(5), mark(6), mark(7)});
  harness.push(0, mop0(3, 0b0110));
  EXPECT_EQ(harness.trace(0, 10), (Words{mark(2), mark(6), mark(6), mark(2)}));
}

TEST(Mop, random_configurations_expand_as_the_text_says) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    Harness harness;
    Config config{};
    for (u32 i = 0; i < kMopConfigWords; ++i) config[i] = random() % 4 == 0 ? nop() : mark(i + 1);
    config[0] = random() % 5;
    config[1] = random() % 6;
    configure(harness, 0, config);
    const u32 mask_hi = random() & 0xFFFF;
    const u32 word = random() % 2 == 0 ? mop1() : mop0(random() % 40, random() & 0xFFFF);
    harness.push(0, encode<op::MOP_CFG>({{"zmask_hi16", mask_hi}}));
    harness.push(0, {word, mark(20)});
    const Words expected = model::expand(config, mask_hi, word, mark(20));
    EXPECT_EQ(harness.trace(0, static_cast<unsigned>(expected.size()) + 8), expected);
  }
}

/// Words whose order shows in counters and vector registers, and some that end what is known.
u32 plain_word(std::mt19937& random) {
  const auto pick = [&](u32 count) { return static_cast<u32>(random()) % count; };
  switch (pick(10)) {
    case 0:
      return nop();
    case 1:
      return encode<op::REPLAY>({{"start_idx", pick(8)}, {"len", 1 + pick(5)}});
    case 2:
      return encode<op::SETRWC>({{"rwc_d", pick(16)}, {"bit_mask", pick(16)}});
    case 3:
      return mark(pick(100));
    case 4:
    case 5:
      return encode<op::SFPIADD>({{"imm12_math", pick(0x1000)},
                                  {"lreg_c", pick(4)},
                                  {"lreg_dest", pick(4)},
                                  {"instr_mod1", 5}});
    default:
      return encode<op::INCRWC>({{"rwc_d", pick(16)}, {"rwc_a", pick(16)}, {"rwc_cr", pick(8)}});
  }
}

TEST(Mop, words_that_are_known_beforehand_do_what_they_do_one_by_one) {
  for (u32 seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    Harness whole;
    Harness single;
    single.wakeup.watched = ~0u;  // so that nothing is done ahead of its cycle
    Config config{};
    const u32 often = 1 + random() % 4;  // how often a place is left to a NOP
    for (u32& word : config) word = random() % 4 < often ? nop() : plain_word(random);
    config[0] = random() % 6;
    config[1] = random() % 20;
    if (config[5] == nop()) config[5] = plain_word(random);
    for (Harness* harness : {&whole, &single}) {
      configure(*harness, 1, config);
      for (u32 i = 0; i < kReplaySlots; ++i) harness->state().frontend[1].replay[i] = mark(i);
    }
    for (u32 i = 0; i < 8; ++i) {
      const u32 word = random() % 3 != 0   ? mop1()
                       : random() % 2 != 0 ? mop0(random() % 10, random() & 0xFFFF)
                                           : plain_word(random);
      const Cycle stamp = whole.now + random() % 3;
      for (Harness* harness : {&whole, &single}) harness->coprocessor.push(1, word, stamp);
      // BRISC's words come in between.
      if (random() % 3 == 0) {
        const Cycle then = whole.now + random() % 30;
        for (Harness* harness : {&whole, &single})
          if (harness->coprocessor.can_push_from_brisc(1))
            harness->coprocessor.push_from_brisc(1, mark(i), then);
      }
      const Cycle span = 1 + random() % 40;
      whole.run(span);
      for (Cycle cycle = 0; cycle < span; ++cycle) single.run(1);
      ASSERT_EQ(whole.coprocessor.hash(1), single.coprocessor.hash(1)) << seed << ", " << i;
      ASSERT_EQ(whole.coprocessor.asleep(), single.coprocessor.asleep()) << seed << ", " << i;
      if (!whole.coprocessor.can_push(1)) break;
    }
    EXPECT_GT(whole.state().frontend[1].executed, 0u) << seed;
  }
}

TEST(Mop, an_expansion_delivers_one_word_in_every_cycle) {
  Harness harness;
  configure(harness, 0, {4, 10, nop(), nop(), nop(), mark(1), nop(), mark(2), mark(3)});
  harness.push(0, {mop1(), mop1()});
  EXPECT_EQ(harness.trace(0, 80).size(), 80u);
}

/// The core would write the next template under it otherwise.
TEST(Mop, one_that_is_still_on_its_way_is_not_done) {
  Harness harness;
  configure(harness, 0, {1, 1, nop(), nop(), nop(), mark(1), nop(), mark(2), mark(2)});
  harness.push(0, mop1());
  const Cycle arrives = harness.now + 20;
  harness.coprocessor.put_off_push(0, arrives, false, false);
  EXPECT_FALSE(harness.coprocessor.mop_drained(0, arrives));
  EXPECT_TRUE(harness.coprocessor.mop_drained(0, arrives + 1)) << "what is left fits behind it";
}

/// A core that has seen it done writes the next template some cycles later. What is left then fits
/// behind the expander whether the replay expander plays or not (LLK's products, and the tilize
/// that ttnn's convolutions do after them).
TEST(Mop, one_that_is_done_stays_done) {
  std::mt19937 numbers(11);
  const auto random = [&] { return static_cast<u32>(numbers()); };
  for (int round = 0; round < 400; ++round) {
    Harness harness;
    const u32 length = 1 + random() % 6;
    harness.push(0, encode<op::REPLAY>({{"len", length}, {"load_mode", 1}}));
    for (u32 i = 0; i < length; ++i) harness.push(0, mark(i));
    const u32 replay = encode<op::REPLAY>({{"len", length}});
    const auto any = [&] { return random() % 3 == 0 ? mark(20) : replay; };
    configure(
        harness, 0,
        {1 + random() % 3, 1 + random() % 12, nop(), nop(), nop(), any(), any(), any(), any()});
    for (u32 i = random() % 4; i != 0; --i) harness.push(0, any());
    harness.push(0, mop1());
    bool done = false;
    for (int cycle = 0; cycle < 1000; ++cycle) {
      const bool now = harness.coprocessor.mop_drained(0);
      ASSERT_TRUE(now || !done) << "round " << round << ", cycle " << cycle;
      done = now;
      harness.run(1);
    }
    EXPECT_TRUE(done);
  }
}

TEST(Mop, writing_the_configuration_during_an_expansion_is_reported) {
  Harness harness;
  configure(harness, 0, {4, 10, nop(), nop(), nop(), mark(1), nop(), mark(2), mark(3)});
  harness.push(0, mop1());
  harness.run(3);
  EXPECT_FALSE(harness.coprocessor.mop_drained(0));
  harness.coprocessor.write_mop_config(0, 5, mark(8), harness.core());
  EXPECT_TRUE(harness.faulted(Rule::TensixMopConfigBusy));
}

TEST(Mop, a_mop_pushed_by_brisc_is_a_fault) {
  Harness harness;
  harness.coprocessor.push_from_brisc(0, mop1(), harness.now - 1);
  harness.run(2);
  EXPECT_TRUE(harness.faulted(Rule::TensixFrontendWord));
}

}  // namespace
}  // namespace bhemu::tensix::test
