// Where a thread's word came from: among the latest pushes, out of the replay buffer, out of the
// MOP.
#include "tile/push_log.hpp"

#include <gtest/gtest.h>

#include "tensix/isa.hpp"

namespace bhemu::tile {
namespace {

using tensix::encode;
namespace op = tensix::op;

constexpr u32 kWord = 0x02000123;
constexpr Agent kCore = Agent::Trisc1;

class PushLogTest : public testing::Test {
 protected:
  /// Of warnings that repeat one is kept.
  PushLogTest() {
    policy_.severity[static_cast<unsigned>(Rule::TensixUnusedBits)] = Severity::Error;
  }
  void push(u32 word, u32 pc, Cycle now) { log_.pushed(1, word, kCore, pc, now, faults_); }
  /// A rule that the word has broken in that cycle.
  Fault broken(u32 word, Cycle cycle) {
    faults_.raise(Rule::TensixUnusedBits, Agent::Thread1, word, cycle, "");
    return faults_.faults().back();
  }
  std::vector<u32> places(const Fault& fault) const {
    std::vector<u32> all;
    for (const PushLog::From& from : log_.origins_of(fault)) {
      EXPECT_EQ(from.core, kCore);
      all.push_back(from.by_mop ? from.pc + 1 : from.pc);
    }
    return all;
  }

  FaultPolicy policy_;
  FaultPort faults_{0, &policy_};
  PushLog log_;
};

TEST_F(PushLogTest, names_each_place_from_which_the_word_was_pushed_before_it_was_executed) {
  push(kWord, 0x100, 10);
  push(kWord, 0x100, 11);
  push(kWord + 1, 0x104, 12);
  EXPECT_EQ(places(broken(kWord, 20)), (std::vector<u32>{0x100}));
  push(kWord, 0x200, 13);
  const Fault second = broken(kWord, 14);
  push(kWord, 0x300, 15);
  EXPECT_EQ(places(second), (std::vector<u32>{0x100, 0x200}));
  EXPECT_TRUE(places(broken(0x77, 30)).empty());
}

TEST_F(PushLogTest, knows_it_still_when_the_thread_has_long_gone_on) {
  push(kWord, 0x100, 10);
  const Fault fault = broken(kWord, 11);
  for (u32 i = 0; i < 1000; ++i) push(0x02000000 + i % 16, 0x400 + 4 * (i % 16), 20 + i);
  EXPECT_EQ(places(fault), (std::vector<u32>{0x100}));
}

TEST_F(PushLogTest, remembers_what_was_recorded_for_replays) {
  push(encode<op::REPLAY>({{"load_mode", 1}, {"len", 2}, {"start_idx", 30}}), 0x100, 10);
  push(kWord, 0x104, 11);
  push(kWord + 1, 0x108, 12);
  push(kWord + 2, 0x10C, 13);
  for (u32 i = 0; i < 1000; ++i) push(0x03000000, 0x400, 20 + i);
  EXPECT_EQ(places(broken(kWord, 2000)), (std::vector<u32>{0x104}));
  EXPECT_EQ(places(broken(kWord + 1, 2001)), (std::vector<u32>{0x108}));
  EXPECT_TRUE(places(broken(kWord + 2, 2002)).empty()) << "no longer recorded";
}

TEST_F(PushLogTest, takes_a_recording_without_length_for_the_whole_buffer_and_no_more) {
  push(encode<op::REPLAY>({{"load_mode", 1}, {"len", 0}, {"start_idx", 3}}), 0x100, 10);
  for (u32 i = 0; i < tensix::kReplaySlots; ++i) push(kWord + i, 0x200 + 4 * i, 11 + i);
  for (u32 i = 0; i < 1000; ++i) push(0x03000000 + i % 40, 0x400, 50 + i);
  for (const u32 i : {0u, tensix::kReplaySlots - 1})
    EXPECT_EQ(places(broken(kWord + i, 2000 + i)), (std::vector<u32>{0x200 + 4 * i}));
}

TEST_F(PushLogTest, remembers_who_set_the_mop_up_and_that_it_was_a_mop) {
  log_.configured(1, 5, kWord, kCore, 0x500);
  EXPECT_EQ(places(broken(kWord, 100)), (std::vector<u32>{0x501}));
  log_.configured(1, 5, kWord + 1, kCore, 0x600);
  EXPECT_TRUE(places(broken(kWord, 200)).empty());
  log_.forget();
  EXPECT_TRUE(places(broken(kWord + 1, 300)).empty());
}

TEST_F(PushLogTest, knows_nothing_of_cores_and_other_threads) {
  push(kWord, 0x100, 10);
  faults_.raise(Rule::TensixUnusedBits, Agent::Thread0, kWord, 20, "");
  EXPECT_TRUE(log_.origins_of(faults_.faults().back()).empty());
  faults_.raise(Rule::TensixUnusedBits, Agent::Brisc, kWord, 20, "");
  EXPECT_TRUE(log_.origins_of(faults_.faults().back()).empty());
}

}  // namespace
}  // namespace bhemu::tile
