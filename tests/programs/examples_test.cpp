// Every program file of examples/ runs on both boards and gives what it says it must.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "support/narrow.hpp"

namespace bhemu {
namespace {

std::vector<std::string> example_names() {
  std::vector<std::string> names;
  const std::filesystem::path folder = std::string(BHEMU_SOURCE_DIR) + "/examples";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class Examples : public testing::TestWithParam<std::string> {};

TEST_P(Examples, pass_on_both_boards) {
  const test::Scratch scratch("bhemu_examples_" + GetParam());
  for (const char* board : {"p100a", "p150"}) {
    const test::CommandResult result = test::bhemu(
        scratch, "run " BHEMU_SOURCE_DIR "/examples/" + GetParam() + ".yaml --board " + board);
    EXPECT_EQ(result.status, 0) << board << "\n" << result.out << result.err;
    EXPECT_NE(result.out.find("PASSED"), std::string::npos) << board;
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, Examples, testing::ValuesIn(example_names()),
                         [](const auto& name) { return name.param; });

// The gallery of races: both forms run, since on a card they would; only the mended ones promise a
// result, and pass the usual checks without a word.
TEST(ExampleFiles, of_races_run_and_the_mended_forms_give_what_they_say) {
  const test::Scratch scratch("bhemu_examples_races");
  unsigned mended = 0;
  unsigned compared = 0;
  const std::filesystem::path folder = std::string(BHEMU_SOURCE_DIR) + "/examples/races";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().string();
    const bool is_mended = name.find("_mended.yaml") != std::string::npos;
    const test::CommandResult result =
        test::bhemu(scratch, "run " + name + test::kNarrow + (is_mended ? "" : " --check none"));
    EXPECT_EQ(result.status, 0) << name << "\n" << result.out << result.err;
    if (!is_mended) continue;
    ++mended;
    EXPECT_EQ(result.err.find("First cause"), std::string::npos) << name << "\n" << result.err;
    compared += result.out.find("compared, all equal") != std::string::npos;
  }
  EXPECT_GE(mended, 20u);
  EXPECT_GE(compared + 2, mended);  // what two of them move is zeros
}

// The multicast's rectangles follow the grid: both sides of the middle columns, or one of them.
TEST(ExampleFiles, multicast_reaches_all_tiles_of_any_grid) {
  const test::Scratch scratch("bhemu_examples_harvest");
  for (const char* columns : {"0,5", "0,2,4,6,8,10,12", "7,8,9,10,11,12,13"}) {
    const test::CommandResult result = test::bhemu(
        scratch,
        std::string("run " BHEMU_SOURCE_DIR "/examples/matmul_multicast.yaml --harvest-columns ") +
            columns);
    EXPECT_EQ(result.status, 0) << columns << "\n" << result.out << result.err;
  }
}

TEST(ExampleFiles, are_all_found) {
  EXPECT_GE(example_names().size(), 10u);
}

}  // namespace
}  // namespace bhemu
