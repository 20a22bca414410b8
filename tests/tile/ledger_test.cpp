// Who changed the counters of circular buffers last, noted in fewer places than there are counters:
// against a ledger that notes every change of each.
#include "tile/ledger.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "support/rounds.hpp"

namespace bhemu::tile {
namespace {

class PlainLedger {
 public:
  void written(u32 stream, bool received, u32 value, Agent agent, u32 pc, Cycle now) {
    CounterChange& change = counters_[stream][received];
    const u32 changes = value != 0 ? change.changes + 1 : 0;
    const u32 agents = value != 0 ? change.agents | 1u << static_cast<unsigned>(agent) : 0;
    change = {agent, pc, now, changes, agents};
  }
  CounterChange counter(u32 stream, bool received) const { return counters_[stream][received]; }

 private:
  std::array<std::array<CounterChange, 2>, noc::kStreams> counters_{};
};

void expect_same(const Ledger& ledger, const PlainLedger& plain, u32 drawn) {
  for (u32 stream = 0; stream < noc::kStreams; ++stream)
    for (const bool received : {false, true}) {
      const CounterChange is = ledger.counter(stream, received);
      const CounterChange expected = plain.counter(stream, received);
      ASSERT_EQ(is.cycle, expected.cycle) << drawn << ", " << stream << ", " << received;
      if (expected.cycle == 0) continue;
      ASSERT_EQ(is.agent, expected.agent) << drawn;
      ASSERT_EQ(is.pc, expected.pc) << drawn;
      ASSERT_EQ(is.changes, expected.changes) << drawn;
      ASSERT_EQ(is.agents, expected.agents) << drawn;
    }
}

/// Both ledgers are told.
struct Both {
  Ledger ledger;
  PlainLedger plain;
  Cycle now = 1;

  void write(u32 stream, bool received, u32 value, Agent agent, u32 pc) {
    ledger.counter_written(stream, received, value, agent, pc, now);
    plain.written(stream, received, value, agent, pc, now);
  }
  /// As firmware clears counters before a kernel, unless it is held up on the way.
  void clear(u32 first, u32 end, Agent agent, u32 pc, u32 held_up_at = noc::kStreams) {
    for (u32 stream = first; stream < end; ++stream) {
      write(stream, false, 0, agent, pc);
      ++now;
      write(stream, true, 0, agent, pc + 4);
      now += stream == held_up_at ? 9 : 5;
    }
  }
};

TEST(Ledger, counters_that_firmware_clears_one_after_the_other_are_each_noted) {
  Both both;
  both.clear(0, noc::kStreams, Agent::Trisc0, 0x6000);
  expect_same(both.ledger, both.plain, 0);
  both.write(5, true, 1, Agent::Brisc, 0x100);
  both.now += 3;
  both.write(5, true, 2, Agent::Niu0, 0);
  expect_same(both.ledger, both.plain, 0);
  both.now += 100;
  both.clear(0, noc::kStreams, Agent::Trisc0, 0x6000);
  expect_same(both.ledger, both.plain, 0);
}

TEST(Ledger, whatever_is_written_in_whatever_order_the_last_change_of_each_counter_is_known) {
  const u64 count = test::rounds(200);
  for (u64 round = 1; round <= count; ++round) {
    const u32 drawn = static_cast<u32>(test::seed(round));
    std::mt19937 random(drawn);
    const auto below = [&random](u32 most) { return static_cast<u32>(random() % most); };
    constexpr std::array kAgents = {Agent::Brisc, Agent::Trisc0, Agent::Niu0};
    Both both;
    for (int step = 0; step < 60; ++step) {
      const Agent agent = kAgents[below(kAgents.size())];
      const u32 stream = below(noc::kStreams);
      if (below(3) == 0)
        both.clear(below(4) == 0 ? stream : 0, noc::kStreams - below(8), agent,
                   0x6000 + 8 * below(2), below(2 * noc::kStreams));
      else
        both.write(stream, below(2) != 0, below(3), agent, 0x100 + 4 * below(4));
      both.now += below(4) + 1;
      // In a turn, one core comes after the other.
      if (below(3) == 0) both.now -= std::min<Cycle>(both.now - 1, below(40));
      expect_same(both.ledger, both.plain, drawn);
    }
  }
}

}  // namespace
}  // namespace bhemu::tile
