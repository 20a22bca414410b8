// Every program file of examples/ runs on both boards and gives what it says it must.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/command.hpp"

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

TEST(ExampleFiles, are_all_found) {
  EXPECT_GE(example_names().size(), 10u);
}

}  // namespace
}  // namespace bhemu
