// Loops in which cores have waited, told from tile to tile.
#include "riscv/known_loops.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "riscv/lines.hpp"
#include "support/rounds.hpp"

namespace bhemu::riscv {
namespace {

using test::rounds;
using test::seed;

constexpr u32 kLine = 0x4000;
constexpr u32 kHead = kLine + 8;
using Words = std::array<u8, kLineBytes>;

Words words_of(u8 first) {
  Words words;
  for (u8 i = 0; i < kLineBytes; ++i) words[i] = static_cast<u8>(first + i);
  return words;
}

/// What a tile is told, by head.
using Told = std::map<u32, std::pair<LoopShape, const KnownRound*>>;
Told told(const KnownLoops& loops, const Words& words, Cycle now, NodeId tile) {
  Told all;
  loops.each_in(kLine, words.data(), {now, tile},
                [&](u32 head, LoopShape shape, const std::shared_ptr<const KnownRound>& round) {
                  EXPECT_TRUE(all.insert({head, {shape, round.get()}}).second);
                });
  return all;
}

TEST(KnownLoops, what_a_tile_tells_in_an_epoch_the_others_know_from_its_end_on) {
  KnownLoops loops;
  const Words words = words_of(1);
  EXPECT_TRUE(loops.has_none_in(kHead));
  loops.tell(kHead, {5, true}, words.data(), {100, 3});
  EXPECT_FALSE(loops.has_none_in(kHead));
  EXPECT_TRUE(loops.has_none_in(kLine + kLineBytes));
  EXPECT_TRUE(told(loops, words, 99, 4).empty());
  EXPECT_EQ(told(loops, words, 100, 4), (Told{{kHead, {{5, true}, nullptr}}}));
  EXPECT_TRUE(told(loops, words, 1000, 3).empty()) << "who told of it knows it already";
  EXPECT_TRUE(told(loops, words_of(2), 100, 4).empty()) << "other words stand there";

  const auto round = std::make_shared<const KnownRound>();
  loops.tell(kHead, words.data(), round, {200, 4});
  EXPECT_EQ(told(loops, words, 199, 5), (Told{{kHead, {{5, true}, nullptr}}}));
  EXPECT_EQ(told(loops, words, 200, 5), (Told{{kHead, {{5, true}, round.get()}}}));
  EXPECT_EQ(told(loops, words, 200, 4), (Told{{kHead, {{5, true}, nullptr}}}));
}

TEST(KnownLoops, in_which_order_tiles_tell_in_an_epoch_makes_no_difference) {
  struct Loop {
    u32 head;
    u8 words;
    LoopShape shape;
    KnownLoops::Source source;
    std::shared_ptr<const KnownRound> round;
  };
  for (u64 round = 1; round <= rounds(300); ++round) {
    std::mt19937 random(static_cast<u32>(seed(round)));
    KnownLoops one, other;
    for (Cycle epoch = 1; epoch <= 6; ++epoch) {
      std::vector<Loop> drawn;
      for (NodeId tile = 0; tile < 6; ++tile)
        drawn.push_back({kLine + 4 * static_cast<u32>(random() % 4),
                         static_cast<u8>(random() % 6),
                         {random() % 90, random() % 2 != 0},
                         {epoch * 100, tile},
                         nullptr});
      const auto tell = [&](KnownLoops& loops) {
        for (const Loop& loop : drawn)
          loops.tell(loop.head, loop.shape, words_of(loop.words).data(), loop.source);
      };
      tell(one);
      std::shuffle(drawn.begin(), drawn.end(), random);
      tell(other);
      for (Loop& loop : drawn) loop.round = std::make_shared<const KnownRound>();
      const auto tell_rounds = [&](KnownLoops& loops) {
        for (const Loop& loop : drawn)
          loops.tell(loop.head, words_of(loop.words).data(), loop.round,
                     {loop.source.since + 50, loop.source.tile});
      };
      tell_rounds(one);
      std::shuffle(drawn.begin(), drawn.end(), random);
      tell_rounds(other);
      for (u8 words = 0; words < 6; ++words)
        for (const Cycle now : {epoch * 100, epoch * 100 + 50})
          EXPECT_EQ(told(one, words_of(words), now, 9), told(other, words_of(words), now, 9))
              << round;
    }
  }
}

/// A tile, with words in kLine.
struct Tile {
  Tile(std::shared_ptr<LineCache> cache, NodeId node, u8 words) : lines(std::move(cache), node) {
    write(words);
  }
  void write(u8 words) {
    std::copy_n(words_of(words).begin(), kLineBytes, l1.begin() + kLine);
    lines.forget(kLine);
  }
  bool has_head() {
    lines.decode(kLine, l1.data());
    return lines.is_head(kHead, l1.data());
  }

  std::vector<u8> l1 = std::vector<u8>(kL1Size);
  CodeLines lines;
};

TEST(KnownLoops, a_tile_takes_over_what_others_have_told_when_it_decodes_the_line) {
  const auto cache = std::make_shared<LineCache>();
  Tile teller(cache, 1, 1), same(cache, 2, 1), different(cache, 3, 2);
  teller.lines.begin_epoch(100);
  teller.lines.tell_of_head(kHead, {7}, teller.l1.data());
  same.lines.begin_epoch(100);
  EXPECT_FALSE(same.has_head());
  for (Tile* tile : {&teller, &same, &different}) tile->lines.begin_epoch(200);
  EXPECT_TRUE(same.has_head());
  EXPECT_EQ(same.lines.heads().round_at(kHead).shape.period, 7u);
  EXPECT_EQ(same.lines.heads().round_at(kHead).known, nullptr);
  EXPECT_FALSE(teller.has_head());
  EXPECT_FALSE(different.has_head());

  EXPECT_TRUE(same.lines.head_was_of_use(kHead)) << "a round is learnt at once";
  same.lines.learn_round(kHead, KnownRound(), same.l1.data());
  Tile late(cache, 4, 1);
  late.lines.begin_epoch(300);
  EXPECT_TRUE(late.has_head());
  EXPECT_NE(late.lines.heads().round_at(kHead).known, nullptr);

  for (int i = 0; i < 4; ++i) late.lines.head_was_in_vain(kHead);
  EXPECT_FALSE(late.has_head()) << "and it is not taken over again";
  late.lines.forget_heads();
  EXPECT_FALSE(late.lines.heads().has(kHead, late.l1.data()));
  EXPECT_TRUE(late.has_head());

  late.write(2);
  EXPECT_FALSE(late.has_head());
  late.write(1);
  EXPECT_TRUE(late.has_head());
  late.lines.begin_epoch(400);
  different.lines.tell_of_head(kHead, {9}, different.l1.data());
  late.write(2);
  EXPECT_TRUE(late.has_head()) << "the words of the older one are gone";
  EXPECT_EQ(late.lines.heads().round_at(kHead).shape.period, 9u);
}

TEST(KnownLoops, who_decodes_a_line_is_told_when_a_head_has_become_known_by_that) {
  const auto cache = std::make_shared<LineCache>();
  Tile teller(cache, 1, 1), other(cache, 2, 1);
  other.lines.begin_epoch(100);
  EXPECT_FALSE(other.lines.decode(kLine, other.l1.data()));
  teller.lines.begin_epoch(100);
  teller.lines.tell_of_head(kHead, {7}, teller.l1.data());
  other.lines.begin_epoch(200);
  other.lines.forget(kLine);
  EXPECT_TRUE(other.lines.decode(kLine, other.l1.data()));
  other.lines.forget(kLine);
  EXPECT_FALSE(other.lines.decode(kLine, other.l1.data())) << "it was known";
}

TEST(KnownLoops, a_tile_that_has_no_room_takes_nothing_over) {
  const auto cache = std::make_shared<LineCache>();
  Tile teller(cache, 1, 1), full(cache, 2, 1);
  teller.lines.tell_of_head(kHead, {7}, teller.l1.data());
  for (u32 i = 0; i < 24; ++i) full.lines.add_head(0x8000 + 4 * i, 5, full.l1.data());
  EXPECT_FALSE(full.has_head());
  EXPECT_TRUE(full.lines.heads().has(0x8000, full.l1.data()));
}

TEST(KnownLoops, how_long_cores_work_before_they_wait_is_what_the_first_one_in_an_epoch_tells) {
  KnownLoops loops;
  const KnownLoops::Start start = KnownLoops::start_of(kHead, words_of(1).data());
  EXPECT_EQ(loops.first_wait(start, 1000), 0u);
  loops.tell_of_wait(start, 700, {100, 5});
  EXPECT_EQ(loops.first_wait(start, 99), 0u);
  EXPECT_EQ(loops.first_wait(start, 100), 700u);
  loops.tell_of_wait(start, 600, {100, 4});
  loops.tell_of_wait(start, 500, {100, 6});
  loops.tell_of_wait(start, 400, {200, 1});
  EXPECT_EQ(loops.first_wait(start, 200), 600u) << "of tile 4";
  EXPECT_EQ(loops.first_wait(KnownLoops::start_of(kHead + 4, words_of(1).data()), 200), 0u);
  EXPECT_EQ(loops.first_wait(KnownLoops::start_of(kHead, words_of(2).data()), 200), 0u);

  // Of too many, the first ones stay, in whatever order they come.
  for (const Cycle since : {340u, 303u, 350u})
    for (u32 k = 0; k < 31; ++k) loops.tell_of_wait(since * 100 + k, 9, {since, 2});
  EXPECT_EQ(loops.first_wait(start, 400), 600u);
  for (u32 k = 0; k < 31; ++k) {
    EXPECT_EQ(loops.first_wait(30300 + k, 400), 9u);
    EXPECT_EQ(loops.first_wait(34000 + k, 400), 0u);
    EXPECT_EQ(loops.first_wait(35000 + k, 400), 0u);
  }
}

}  // namespace
}  // namespace bhemu::riscv
