// The end of a critical section, asked for in many host threads while one sets it: whoever sees it
// sees all of it, and nobody sees an end that is not there yet.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "race/section.hpp"

namespace bhemu::race {
namespace {

constexpr unsigned kAskers = 4;
constexpr unsigned kRounds = 200;
constexpr u16 kTiles = 140;

TEST(SectionEnd, covers_everything_until_it_is_set_and_then_what_the_clock_knows) {
  SectionEnd end;
  EXPECT_TRUE(end.may_cover({1000, 3, 17}));
  Clock clock;
  clock.raise({10, 3, 17});
  end.set(clock);
  EXPECT_TRUE(end.may_cover({10, 3, 17}));
  EXPECT_FALSE(end.may_cover({11, 3, 17}));
  EXPECT_FALSE(end.may_cover({1, 3, 18}));
}

/// The clock is large, so that one which is seen in part would say no to something that it knows:
/// an answer may change from "maybe" to what the clock says once, and never to anything else.
TEST(SectionEnd, is_seen_whole_by_all_threads_that_ask_while_one_sets_it) {
  Clock clock;
  for (u16 tile = 0; tile < kTiles; ++tile)
    for (Component component = 1; component < 4; ++component)
      clock.raise({100u + tile, component, tile});
  for (unsigned round = 0; round < kRounds; ++round) {
    auto end = std::make_shared<SectionEnd>();
    std::atomic<unsigned> ready{0};
    std::atomic<unsigned> wrong{0};
    std::vector<std::thread> askers;
    for (unsigned asker = 0; asker < kAskers; ++asker)
      askers.emplace_back([&, asker] {
        const u16 tile = static_cast<u16>((round * kAskers + asker) % kTiles);
        const Epoch known{100u + tile, 2, tile};
        const Epoch later{101u + tile, 2, tile};
        ++ready;
        for (bool over = false; !over;) {
          over = !end->may_cover(later);
          // What was done in the section is covered before its end and after it.
          if (!end->may_cover(known)) ++wrong;
          if (over && end->may_cover(later)) ++wrong;
          if (!over) std::this_thread::yield();  // there may be fewer processors than askers
        }
      });
    while (ready != kAskers) std::this_thread::yield();
    end->set(clock);
    for (std::thread& asker : askers) asker.join();
    ASSERT_EQ(wrong, 0u) << "round " << round;
  }
}

}  // namespace
}  // namespace bhemu::race
