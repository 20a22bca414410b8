// Clocks against plain tables of all times, by random raises and joins over several tiles.
#include "race/clock.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace bhemu::race {
namespace {

using Plain = std::map<std::pair<u16, Component>, u32>;

struct Pair {
  Clock clock;
  Clock::Joined joined;
  Plain plain;

  void raise(Epoch one) {
    clock.raise(one);
    u32& time = plain[{one.tile, one.component}];
    time = std::max(time, one.time);
  }
  void join(const Pair& other, bool remembered) {
    if (remembered) {
      clock.join(other.clock, joined);
    } else {
      clock.join(other.clock);
    }
    for (const auto& [where, time] : other.plain) {
      u32& mine = plain[where];
      mine = std::max(mine, time);
    }
  }
};

void expect_same(const Pair& one, u16 tiles, unsigned components) {
  for (u16 tile = 0; tile < tiles; ++tile)
    for (unsigned component = 0; component < components; ++component) {
      const auto found = one.plain.find({tile, static_cast<Component>(component)});
      ASSERT_EQ(one.clock.at(tile, static_cast<Component>(component)),
                found == one.plain.end() ? 0 : found->second)
          << "tile " << tile << ", component " << component;
    }
}

TEST(Clock, knows_what_a_plain_table_of_all_times_knows) {
  constexpr u16 kTiles = 40;
  constexpr unsigned kComponents = 140;  // several blocks of a table, the last not full
  std::mt19937 random(15);
  const auto below = [&](u32 bound) { return static_cast<u32>(random() % bound); };
  for (unsigned round = 0; round < 20; ++round) {
    std::array<Pair, 5> owners;
    for (unsigned step = 0; step < 400; ++step) {
      const u32 index = below(owners.size());
      Pair& one = owners[index];
      const u32 what = below(10);
      if (what < 6) {  // mostly of the owner's own tile, as agents do
        const u16 tile = static_cast<u16>(below(4) == 0 ? below(kTiles) : 9 * index);
        one.raise({below(1000), static_cast<Component>(below(kComponents)), tile});
      } else if (what < 9) {
        one.join(owners[below(owners.size())], below(2) == 0);
      } else {
        one.clock.make_room();
      }
      if (step % 100 == 0) expect_same(one, kTiles, kComponents);
    }
    for (const Pair& one : owners) expect_same(one, kTiles, kComponents);
  }
}

TEST(Clock, copies_are_not_changed_by_what_their_source_learns) {
  Pair one;
  for (u16 tile = 0; tile < 3; ++tile)
    for (unsigned i = 0; i < 40; i += 3)
      one.raise({i + 1, static_cast<Component>(i), static_cast<u16>(2 - tile)});
  const Pair copy = one;
  for (unsigned i = 0; i < 200; ++i) one.raise({1000 + i, static_cast<Component>(i), 1});
  expect_same(copy, 3, 210);
  expect_same(one, 3, 210);
}

TEST(Times, of_two_that_know_the_same_one_table_is_kept) {
  const std::array<Epoch, 3> few{Epoch{5, 3, 0}, Epoch{7, 64, 0}, Epoch{9, 130, 0}};
  const std::array<Epoch, 2> fewer{Epoch{4, 3, 0}, Epoch{9, 130, 0}};
  const Times a = Times().with(few);
  const Times b = Times().with(fewer);
  EXPECT_TRUE(a.covers(b));
  EXPECT_FALSE(b.covers(a));
  EXPECT_TRUE(a.covers(Times()));
  EXPECT_FALSE(Times().covers(b));
  EXPECT_TRUE(Times::merged(a, b).is(a));
  EXPECT_TRUE(Times::merged(b, a).is(a));
  EXPECT_EQ(a.at(64), 7u);
  EXPECT_EQ(a.at(65), 0u);
  EXPECT_EQ(a.at(1000), 0u);
}

}  // namespace
}  // namespace bhemu::race
