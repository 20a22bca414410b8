// bhemu hunt as a user sees it: what it says, its file, and what bhemu replay makes of that.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "cli/command.hpp"

namespace bhemu::test {
namespace {

bool holds(const std::string& text, const std::string& wanted) {
  return text.find(wanted) != std::string::npos;
}

class HuntCommand : public testing::Test {
 protected:
  CommandResult hunt(const std::string& name, const std::string& options = "") {
    return bhemu(scratch_, "hunt " BHEMU_SOURCE_DIR "/examples/" + name + ".yaml --output " +
                               path_ + " " + options);
  }
  CommandResult replay(const std::string& arguments) {
    return shell(scratch_, "cd / && " BHEMU_BINARY_DIR "/bin/bhemu replay " + arguments);
  }
  Scratch scratch_{"bhemu_hunt_test"};
  std::string path_ = (scratch_.path() / "found.hunt").string();
};

TEST_F(HuntCommand, says_what_was_found_and_its_file_repeats_it_elsewhere) {
  const CommandResult found = hunt("races/flag_rewrite_broken");
  EXPECT_EQ(found.status, 1) << found.err;
  EXPECT_TRUE(holds(found.out, "FOUND: with 1 delay ")) << found.out;
  EXPECT_TRUE(holds(found.out, "delay source #")) << found.out;
  EXPECT_TRUE(holds(found.out, "repeat it anywhere: bhemu replay ")) << found.out;
  for (int i = 0; i < 2; ++i) {
    const CommandResult again = replay(path_);
    EXPECT_EQ(again.status, 0) << again.err;
    EXPECT_TRUE(holds(again.out, "replayed as recorded")) << again.out;
  }
}

TEST_F(HuntCommand, finds_the_same_with_any_number_of_processes) {
  const std::string first = hunt("races/replay_record_broken", "--json --jobs 1").out;
  EXPECT_TRUE(holds(first, "\"verdict\"")) << first;  // only of what was found
  EXPECT_EQ(hunt("races/replay_record_broken", "--json --jobs 3").out, first);
}

TEST_F(HuntCommand, asks_the_race_detector_whom_to_hold_up) {
  const CommandResult found = hunt("races/early_release_broken");
  EXPECT_EQ(found.status, 1) << found.out << found.err;
  EXPECT_TRUE(holds(found.out, "found by flips of the race detector's findings")) << found.out;
}

TEST_F(HuntCommand, of_a_program_in_order_finds_nothing) {
  const CommandResult nothing = hunt("races/flag_rewrite_mended", "--runs 60");
  EXPECT_EQ(nothing.status, 0) << nothing.out << nothing.err;
  EXPECT_TRUE(holds(nothing.out, "NOTHING FOUND: ")) << nothing.out;
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(HuntCommand, gives_tt_nop_arguments_for_what_a_card_can_be_shaken_by) {
  const CommandResult found = hunt("races/move_without_gate_broken");
  EXPECT_EQ(found.status, 1) << found.err;
  EXPECT_TRUE(holds(found.out, "on a card (TT-NOP): ")) << found.out;
}

TEST_F(HuntCommand, refuses_a_damaged_file_with_one_line) {
  ASSERT_EQ(hunt("races/replay_record_broken").status, 1);
  const std::string good = contents(path_);
  for (const std::size_t at : {std::size_t{3}, std::size_t{9}, std::size_t{20}, std::size_t{40},
                               good.size() / 3, good.size() - 2}) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x5A);
    const CommandResult result = replay(scratch_.file("bad", bad));
    EXPECT_EQ(result.status, 2) << at;
    EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << result.err;
    EXPECT_TRUE(result.out.empty()) << result.out;
  }
  for (const std::size_t size : {std::size_t{0}, std::size_t{10}, good.size() / 2}) {
    const CommandResult result = replay(scratch_.file("bad", good.substr(0, size)));
    EXPECT_EQ(result.status, 2) << size;
    EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << result.err;
  }
}

TEST_F(HuntCommand, of_a_program_that_hangs_anyway_has_the_status_of_the_hang) {
  const CommandResult result =
      bhemu(scratch_, "hunt " BHEMU_SOURCE_DIR "/tests/hangs/chain_of_five.yaml");
  EXPECT_EQ(result.status, 3) << result.out << result.err;
  EXPECT_TRUE(holds(result.err, "it fails without any delay")) << result.err;
}

}  // namespace
}  // namespace bhemu::test
