// Bug bundles, written by one process and repeated by another, elsewhere.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "cli/command.hpp"

namespace bhemu::test {
namespace {

bool holds(const std::string& text, const std::string& wanted) {
  return text.find(wanted) != std::string::npos;
}

class Bundle : public testing::Test {
 protected:
  std::string record(const std::string& arguments, int status) {
    const std::string path = (scratch_.path() / "bug.bundle").string();
    const CommandResult run =
        bhemu(scratch_, "run " BHEMU_SOURCE_DIR "/" + arguments + " --bundle " + path);
    EXPECT_EQ(run.status, status) << run.err;
    return path;
  }
  /// Somewhere else, where none of the program's files is.
  CommandResult replay(const std::string& arguments) {
    return shell(scratch_, "cd / && " BHEMU_BINARY_DIR "/bin/bhemu replay " + arguments);
  }
  /// One line, status 2.
  void expect_refusal(const std::string& bytes, const std::string& message) {
    const CommandResult result = replay(scratch_.file("other", bytes));
    EXPECT_EQ(result.status, 2);
    EXPECT_TRUE(holds(result.err, message)) << result.err;
    EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << result.err;
    EXPECT_TRUE(result.out.empty());
  }
  Scratch scratch_{"bhemu_bundle_test"};
};

TEST_F(Bundle, a_hang_is_repeated_to_the_cycle_from_its_start_and_from_the_snapshot) {
  const std::string path = record("tests/hangs/chain_of_five.yaml", 3);
  const CommandResult first =
      bhemu(scratch_, "run " BHEMU_SOURCE_DIR "/tests/hangs/chain_of_five.yaml");
  const std::string told = "Hung at cycle ";
  const size_t at = first.err.find(told);
  ASSERT_NE(at, std::string::npos) << first.err;
  const std::string cycle =
      first.err.substr(at + told.size(), first.err.find(':', at) - at - told.size());
  for (const char* option : {"", " --late"}) {
    const CommandResult result = replay(path + option);
    EXPECT_EQ(result.status, 3) << result.err;
    EXPECT_TRUE(holds(result.err, "First cause: NCRISC of (1, 2)")) << result.err;
    EXPECT_TRUE(holds(result.out, "replayed as recorded: cycle " + cycle + ", hash "))
        << result.out;
  }
}

TEST_F(Bundle, board_timing_rules_and_limit_travel_along) {
  const std::string path = record(
      "examples/add_scalar.yaml --board p150 --timing reference --harvest-columns +2"
      " --max-cycles 19000 --rule riscv-ebreak=silicon",
      3);
  const CommandResult result = replay(path);
  EXPECT_EQ(result.status, 3) << result.err;
  EXPECT_TRUE(holds(result.out, "P150")) << result.out;
  EXPECT_TRUE(holds(result.out, "replayed as recorded")) << result.out;
}

TEST_F(Bundle, tensors_are_compared_and_nothing_is_saved) {
  // An example as it stands, but saving what it computes.
  std::string text = contents(BHEMU_SOURCE_DIR "/examples/copy.yaml");
  for (std::size_t at; (at = text.find("../kernels")) != std::string::npos;)
    text.replace(at, 2, BHEMU_SOURCE_DIR);
  text.insert(text.find("    like: input"), "    save: a.npy\n");
  const std::string program = scratch_.file("p.yaml", text);
  const std::string path = (scratch_.path() / "kept.bundle").string();
  ASSERT_EQ(bhemu(scratch_, "run " + program + " --bug-bundle " + path).status, 0);
  EXPECT_TRUE(std::filesystem::remove(scratch_.path() / "a.npy"));
  std::filesystem::remove(program);
  const CommandResult result = replay(path);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_FALSE(std::filesystem::exists(scratch_.path() / "a.npy"));
}

TEST_F(Bundle, what_is_damaged_cut_short_foreign_or_newer_gets_one_message) {
  const std::string bytes = contents(record("tests/hangs/chain_of_five.yaml", 3));
  expect_refusal("", "is no bundle");
  expect_refusal("name: x\n", "is no bundle");
  expect_refusal(bytes.substr(0, 20), "cut short");
  expect_refusal(bytes.substr(0, bytes.size() - 1), "cut short");
  expect_refusal(bytes + "x", "damaged");
  for (const std::size_t at :
       {std::size_t{16}, std::size_t{24}, std::size_t{32}, bytes.size() / 2, bytes.size() - 1}) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    const CommandResult result = replay(scratch_.file("other", damaged));
    EXPECT_EQ(result.status, 2) << at;
    EXPECT_TRUE(holds(result.err, "damaged") || holds(result.err, "cut short")) << result.err;
  }
  std::string newer = bytes;
  newer[8] = 99;
  expect_refusal(newer, "format 99");
}

TEST_F(Bundle, where_it_cannot_be_written_is_said_before_the_run) {
  const CommandResult result =
      bhemu(scratch_, "run " BHEMU_SOURCE_DIR "/examples/copy.yaml --bundle /dev/full");
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(result.out.empty()) << result.out;
}

}  // namespace
}  // namespace bhemu::test
