// bhemu trace-diff, on traces of one program and on hand-made ones.
#include <gtest/gtest.h>

#include "cli/command.hpp"
#include "debug/trace/trace_diff.hpp"

namespace bhemu::test {
namespace {

constexpr const char* kHeader = "# bhemu trace 1\n";

class TraceDiff : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& lines) {
    return scratch_.file(name, kHeader + lines);
  }
  Scratch scratch_{"bhemu_trace_diff_test"};
};

TEST_F(TraceDiff, finds_the_first_event_of_each_agent_that_differs) {
  const std::string a = write("a",
                              "  10 1-2 brisc retire pc=0x1\n"
                              "  10 1-2 ncrisc retire pc=0x7\n"
                              "  11 1-2 brisc retire pc=0x2\n"
                              "  12 1-2 brisc retire pc=0x3\n");
  const std::string b = write("b",
                              "  10 1-2 brisc retire pc=0x1\n"
                              "  10 1-2 ncrisc retire pc=0x7\n"
                              "  11 1-2 brisc retire pc=0x4\n"
                              "  13 2-2 trisc0 retire pc=0x3\n");
  const debug::TraceDiff diff = debug::diff_traces(a, b, true);
  EXPECT_EQ(diff.agents, 3u);
  ASSERT_EQ(diff.differences.size(), 2u);
  EXPECT_EQ(diff.differences[0].agent, "brisc");
  EXPECT_EQ(diff.differences[0].before, 1u);
  EXPECT_EQ(diff.differences[0].first_line, 4u);
  EXPECT_EQ(diff.differences[0].second_line, 4u);
  EXPECT_EQ(diff.differences[1].tile, "2-2");
  EXPECT_EQ(diff.differences[1].first_line, 0u);
}

TEST_F(TraceDiff, can_leave_out_when_things_happened) {
  const std::string a = write("a", "  10 1-2 brisc retire pc=0x1\n");
  const std::string b = write("b", "  11 1-2 brisc retire pc=0x1\n");
  EXPECT_EQ(debug::diff_traces(a, b, true).differences.size(), 1u);
  EXPECT_EQ(debug::diff_traces(a, b, false).differences.size(), 0u);
}

TEST_F(TraceDiff, reads_lines_of_json) {
  const std::string frame = "{\"event\":\"begin\",\"version\":1,\"tiles\":[]}\n";
  const std::string line =
      "{\"cycle\":10, \"tile\":[1,2],\"agent\":\"brisc\",\"event\":\"retire\",\"pc\":";
  const std::string a = scratch_.file("a", frame + line + "1}\n");
  const std::string b = scratch_.file("b", frame + line + "2}\n");
  const debug::TraceDiff diff = debug::diff_traces(a, b, true);
  ASSERT_EQ(diff.differences.size(), 1u);
  EXPECT_EQ(diff.differences[0].tile, "1-2");
  EXPECT_EQ(diff.differences[0].agent, "brisc");
}

TEST_F(TraceDiff, is_a_command_with_an_exit_status) {
  const std::string a = write("a", "  10 1-2 brisc retire pc=0x1\n");
  const std::string b = write("b", "  10 1-2 brisc retire pc=0x2\n");
  const CommandResult same = bhemu(scratch_, "trace-diff " + a + " " + a);
  EXPECT_EQ(same.status, 0);
  EXPECT_EQ(same.out, "The traces are the same: 1 events of 1 agents.\n");
  const CommandResult different = bhemu(scratch_, "trace-diff " + a + " " + b);
  EXPECT_EQ(different.status, 1);
  EXPECT_NE(different.out.find("1-2 brisc, after 0 events that are the same"), std::string::npos);
  const CommandResult json = bhemu(scratch_, "trace-diff --json " + a + " " + b);
  EXPECT_NE(json.out.find("\"same\":false"), std::string::npos);
  const CommandResult wrong = bhemu(scratch_, "trace-diff " + a + " /dev/null/none");
  EXPECT_EQ(wrong.status, 2);
  const std::string nonsense = scratch_.file("n", "hello\n");
  EXPECT_EQ(bhemu(scratch_, "trace-diff " + a + " " + nonsense).status, 2);
}

}  // namespace
}  // namespace bhemu::test
