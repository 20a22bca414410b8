// bhemu why, --why and --watch as a user types them.
#include <gtest/gtest.h>
#include <unistd.h>

#include "cli/command.hpp"

namespace bhemu::test {
namespace {

bool holds(const std::string& text, const std::string& wanted) {
  return text.find(wanted) != std::string::npos;
}

class WhyCommand : public testing::Test {
 protected:
  static constexpr const char* kProgram = BHEMU_SOURCE_DIR "/examples/add_scalar.yaml";
  static constexpr const char* kHang = BHEMU_SOURCE_DIR "/tests/hangs/cb_wrong_index.yaml";

  CommandResult run(const std::string& arguments) {
    return bhemu(scratch_, "run " + arguments + " --output " + scratch_.path().string());
  }
  Scratch scratch_{"bhemu_why_test"};
};

TEST_F(WhyCommand, answers_after_a_hang_with_the_users_line) {
  const CommandResult result = bhemu(scratch_, std::string("why ") + kHang + " 1-2 cb:1 cb:0");
  EXPECT_EQ(result.status, 3) << result.err;
  EXPECT_TRUE(holds(result.err, "First cause: ")) << result.err;
  EXPECT_TRUE(holds(result.out, "why 1-2 cb:1\n  pages received in CB 1: 0 -> 1 by NCRISC at "))
      << result.out;
  EXPECT_TRUE(holds(result.out, "cb_wrong_index.c:")) << result.out;
  // What was never touched in this launch was only set to 0 by firmware, if at all.
  EXPECT_FALSE(holds(result.out, "pages received in CB 0: 0 -> 1")) << result.out;
}

TEST_F(WhyCommand, is_an_option_of_run_that_may_be_repeated) {
  const CommandResult result =
      run(std::string(kProgram) + " --json --why \"1-2 dst:0\" --why \"(1,2) sem:1\"");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(holds(result.out, "\"why\":[\"why 1-2 dst:0\\n  Dst row 0")) << result.out;
  EXPECT_TRUE(holds(result.out, "\"why (1,2) sem:1\\n")) << result.out;
}

TEST_F(WhyCommand, watches_and_stops_where_something_happens) {
  const CommandResult result = run(std::string(kProgram) + " --watch 1-2:cb:16 --watch-stop");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(holds(result.out, "STOPPED\n")) << result.out;
  EXPECT_TRUE(holds(result.out, "watch 1-2:cb:16: write of pages ")) << result.out;
}

TEST_F(WhyCommand, refuses_what_makes_no_sense_before_anything_runs) {
  for (const std::string& arguments :
       {std::string("--why \"30-30 dst:0\""), std::string("--why \"1-2 dts:0\""),
        std::string("--watch 1-2:dst:2000"), std::string("--watch 1-2"),
        std::string("--watch-stop")}) {
    const CommandResult result = run(std::string(kProgram) + " " + arguments);
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_TRUE(result.out.empty()) << result.out;
    EXPECT_TRUE(holds(result.err, "bhemu: --")) << result.err;
  }
}

}  // namespace
}  // namespace bhemu::test
