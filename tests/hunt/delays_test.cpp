// Draws of delays by themselves: their ranges, and that none depends on another.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/delays.hpp"

namespace bhemu {
namespace {

std::shared_ptr<const DelayPlan> seeded(u64 seed) {
  DelayPlan plan;
  plan.source = DelayPlan::Source::Seed;
  plan.seed = seed;
  plan.notes = true;
  return std::make_shared<const DelayPlan>(std::move(plan));
}

class DelayRange : public testing::TestWithParam<unsigned> {};

TEST_P(DelayRange, holds_all_draws_of_all_seeds_and_both_its_ends_are_drawn) {
  const auto kind = static_cast<DelayKind>(GetParam());
  const DelayRow& row = row_of(kind);
  // Those of timing.def: any limit will do.
  const u32 most = row.most == 0 ? 40 : row.most;
  const u32 usual = row.usual == 0 ? 40 : row.usual;
  u32 longest = 0;
  u64 none = 0;
  for (u64 seed = 0; seed < 200; ++seed) {
    Delays delays(3, seeded(seed));
    for (unsigned i = 0; i < 200; ++i) {
      const u32 cycles = delays.draw(kind, Agent::Trisc1, 0, i, usual, most);
      ASSERT_LE(cycles, most);
      longest = std::max(longest, cycles);
      none += cycles == 0 ? 1 : 0;
    }
  }
  EXPECT_GT(longest, most * 9 / 10);
  EXPECT_GT(none, 1000u);
  EXPECT_LT(none, 39000u);
}

INSTANTIATE_TEST_SUITE_P(Kinds, DelayRange, testing::Range(0u, kDelayKinds), [](const auto& info) {
  std::string name = kDelayRows[info.param].word;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(Delays, are_the_same_when_their_notes_are_made_a_list) {
  std::size_t delays = 0;
  for (u64 seed = 40; seed < 60; ++seed) {
    Delays drawn(5, seeded(seed));
    for (unsigned i = 0; i < 100; ++i) drawn.draw(DelayKind::Gate, Agent::Thread1, i, i);
    DelayPlan plan;
    plan.list = drawn.notes();
    delays += plan.list.size();
    Delays listed(5, std::make_shared<const DelayPlan>(plan));
    Delays again(5, seeded(seed));
    for (unsigned i = 0; i < 100; ++i)
      EXPECT_EQ(listed.draw(DelayKind::Gate, Agent::Thread1, i, i),
                again.draw(DelayKind::Gate, Agent::Thread1, i, i));
  }
  EXPECT_GT(delays, 200u);
}

TEST(Delays, of_a_list_stay_where_they_are_when_one_is_taken_away) {
  DelayPlan plan;
  for (const u32 occurrence : {1u, 4u, 9u}) {
    Delay delay;
    delay.node = 7;
    delay.agent = Agent::Ncrisc;
    delay.kind = DelayKind::Drain;
    delay.occurrence = occurrence;
    delay.cycles = 10 + occurrence;
    plan.list.push_back(delay);
  }
  plan.list.erase(plan.list.begin() + 1);
  Delays delays(7, std::make_shared<const DelayPlan>(plan));
  for (u32 i = 0; i < 12; ++i) {
    const u32 wanted = i == 1 || i == 9 ? 10 + i : 0;
    EXPECT_EQ(delays.draw(DelayKind::Drain, Agent::Ncrisc, 0, i), wanted);
    EXPECT_EQ(delays.draw(DelayKind::Drain, Agent::Brisc, 0, i), 0u);   // another agent
    EXPECT_EQ(delays.draw(DelayKind::Stall, Agent::Ncrisc, 0, i), 0u);  // another kind
  }
}

TEST(Delays, draw_the_same_whatever_others_have_drawn_before) {
  Delays alone(2, seeded(9));
  Delays among(2, seeded(9));
  for (unsigned i = 0; i < 300; ++i) {
    among.draw(DelayKind::Flight, Agent::Brisc, 0, i);
    among.draw(DelayKind::Gate, Agent::Thread2, 0, i);
    EXPECT_EQ(alone.draw(DelayKind::Gate, Agent::Thread0, 0, i),
              among.draw(DelayKind::Gate, Agent::Thread0, 0, i));
  }
}

}  // namespace
}  // namespace bhemu
