// A run that went well may have been luck: races between threads of the coprocessor are told.
#include "watch/race_look.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "host/boot/machine.hpp"
#include "support/narrow.hpp"

namespace bhemu::watch {
namespace {

std::vector<Coord> row_of(unsigned count) {
  std::vector<Coord> tiles;
  for (unsigned i = 0; i < count; ++i)
    tiles.push_back({static_cast<u8>(i % 16), static_cast<u8>(i / 16)});
  return tiles;
}

TEST(RaceLook, takes_all_of_few_tiles_and_of_many_some_from_the_first_to_the_last) {
  for (const unsigned count : {0u, 1u, 2u, 15u, 16u}) {
    const std::vector<Coord> tiles = row_of(count);
    EXPECT_EQ(spread_over(tiles, 16), tiles) << count;
  }
  for (const unsigned count : {17u, 31u, 120u, 140u}) {
    const std::vector<Coord> tiles = row_of(count);
    const std::vector<Coord> some = spread_over(tiles, 16);
    ASSERT_EQ(some.size(), 16u) << count;
    EXPECT_EQ(some.front(), tiles.front());
    EXPECT_EQ(some.back(), tiles.back());
    const auto place_of = [&](Coord coord) {
      return std::find(tiles.begin(), tiles.end(), coord) - tiles.begin();
    };
    for (size_t i = 1; i < some.size(); ++i) {
      const auto apart = place_of(some[i]) - place_of(some[i - 1]);
      EXPECT_GE(apart, count / 16) << count;
      EXPECT_LE(apart, count / 15 + 1) << count;
    }
  }
}

/// The first cause of a run of these kernels on all tiles of a board, which went well.
std::string told_of(const std::string& file) {
  host::Program program = host::load_program(std::string(BHEMU_SOURCE_DIR) + file);
  program.tiles.kind = host::TileSpec::Kind::All;
  DeviceOptions options;
  options.board = test::narrow();
  host::Machine machine(options, host::Firmware::embedded());
  const host::PreparedProgram prepared = machine.prepare(program);
  EXPECT_GT(prepared.tiles().size(), 16u);
  EXPECT_EQ(machine.boot().status, host::Status::Ok);
  host::Outcome ran = machine.run_unsaved(prepared);
  EXPECT_EQ(ran.status, host::Status::Ok) << ran.explanation(0);
  tell_of_race(options, host::Firmware::embedded, kNever, prepared, ran);
  return ran.standstill.cause.sentence;
}

TEST(RaceLook, tells_of_a_race_between_threads_of_every_tile_of_a_board) {
  const std::string told = told_of("/tests/hangs/half_taken_without_asking.yaml");
  EXPECT_NE(told.find("There is a race on Dst rows 0 to 7"), std::string::npos) << told;
}

TEST(RaceLook, says_nothing_of_threads_that_take_turns) {
  EXPECT_EQ(told_of("/examples/copy.yaml"), "");
}

}  // namespace
}  // namespace bhemu::watch
