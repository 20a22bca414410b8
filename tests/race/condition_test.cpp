#include "race/condition.hpp"

#include <gtest/gtest.h>

namespace bhemu::race::test {
namespace {

constexpr u8 kReceived = 10, kAcked = 11, kFilled = 12, kWanted = 13;

/// while (((received - acked) & 0xFFFF) < wanted): the branch back is not taken at the end.
std::optional<PollCondition::Guarantee> wait_front(u32 received, u32 acked, u32 wanted) {
  PollCondition condition;
  condition.load(kReceived, 1, received & 0xFFFF, acked, 16);
  condition.load(kAcked, 2, acked & 0xFFFF, acked & 0xFFFF, 16);
  condition.combine(kFilled, kReceived, kAcked, received & 0xFFFF, acked & 0xFFFF, true);
  condition.add(kFilled, kFilled, 0, true);
  const u32 filled = (received - acked) & 0xFFFF;
  return condition.branch(Compare::LessUnsigned, kFilled, kWanted, filled, wanted, filled < wanted);
}

TEST(RaceCondition, a_wait_for_some_pages_proves_those_and_not_what_else_is_there) {
  for (const u32 acked : {0u, 5u, 65534u, 70000u}) {
    for (u32 wanted = 1; wanted < 4; ++wanted) {
      for (u32 received = acked + wanted; received < acked + 9; ++received) {
        const auto proved = wait_front(received, acked, wanted);
        ASSERT_TRUE(proved.has_value());
        EXPECT_EQ(proved->id, 1u);
        EXPECT_EQ(proved->count, acked + wanted) << received;
      }
    }
  }
}

TEST(RaceCondition, a_branch_back_proves_nothing_new) {
  const auto proved = wait_front(7, 7, 1);
  ASSERT_TRUE(proved.has_value());
  EXPECT_EQ(proved->count, 7u);
}

TEST(RaceCondition, waits_for_a_value_or_at_least_a_value_are_told_apart) {
  PollCondition condition;
  condition.load(10, 3, 9, 2, 32);
  // while (semaphore < 4): bltu not taken.
  EXPECT_EQ(condition.branch(Compare::LessUnsigned, 10, 13, 9, 4, false)->count, 4u);
  // while (semaphore != 9): bne not taken; only 9 ends it.
  EXPECT_EQ(condition.branch(Compare::NotEqual, 10, 13, 9, 9, false)->count, 9u);
  // while (semaphore == 0): it was not 0 to begin with, so nothing is proved beyond.
  EXPECT_EQ(condition.branch(Compare::Equal, 10, 0, 9, 0, false)->count, 2u);
  // The other way round: while (4 > semaphore).
  EXPECT_EQ(condition.branch(Compare::Less, 13, 10, 3, 9, true)->count, 4u);
}

TEST(RaceCondition, what_became_of_the_value_by_other_means_proves_nothing) {
  PollCondition condition;
  condition.load(10, 3, 9, 2, 32);
  condition.forget(10);
  EXPECT_FALSE(condition.branch(Compare::LessUnsigned, 10, 13, 9, 4, false).has_value());
  EXPECT_FALSE(condition.branch(Compare::LessUnsigned, 0, 0, 0, 0, false).has_value());
}

TEST(RaceCondition, room_in_a_buffer_is_a_bound_on_acknowledgements) {
  // while (capacity - filled < pages), filled = (received - acked) & 0xFFFF, received the core's
  // own.
  PollCondition condition;
  const u32 received = 6, acked = 5, certain = 3, capacity = 4, pages = 2;
  condition.load(kAcked, 2, acked, certain, 16);
  condition.load(kReceived, 1, received, received, 16);
  condition.combine(kFilled, kReceived, kAcked, received, acked, true);
  condition.combine(14, 15, kFilled, capacity, received - acked, true);
  const auto proved = condition.branch(Compare::LessUnsigned, 14, kWanted,
                                       capacity - (received - acked), pages, false);
  ASSERT_TRUE(proved.has_value());
  EXPECT_EQ(proved->id, 2u);
  EXPECT_EQ(proved->count, 4u);  // 4 of 6 acknowledged leave room for two
}

}  // namespace
}  // namespace bhemu::race::test
