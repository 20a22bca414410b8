// `bhemu run --trace` as a user types it, and every way to type it wrong.
#include <unistd.h>

#include "cli/command.hpp"
#include "trace/traced_chip.hpp"

namespace bhemu::test {
namespace {

const std::string kProgram = BHEMU_SOURCE_DIR "/examples/add_scalar.yaml";

bool holds(const std::string& text, const std::string& wanted) {
  return text.find(wanted) != std::string::npos;
}

size_t lines_of(const std::string& text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

class TraceCommand : public testing::Test {
 protected:
  CommandResult run(const std::string& arguments) {
    return bhemu(scratch_,
                 "run " + kProgram + " --output " + scratch_.path().string() + " " + arguments);
  }
  std::string path(const std::string& name) const { return (scratch_.path() / name).string(); }
  Scratch scratch_{"bhemu_trace_test"};
};

TEST_F(TraceCommand, writes_a_file_and_says_so) {
  const CommandResult result =
      run("--trace " + path("t.txt") + " --trace-tiles 1-2,2-2 --trace-what noc,reset");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(holds(result.out, "events in " + path("t.txt"))) << result.out;
  const std::string text = contents(path("t.txt"));
  EXPECT_TRUE(text.starts_with("# bhemu trace 1\n"));
  EXPECT_TRUE(holds(text, " 1-2    brisc    send       kind=write noc="));
  EXPECT_TRUE(holds(text, " 2-2    trisc2   release    pc="));
  EXPECT_TRUE(holds(text, "# end: "));
  EXPECT_FALSE(holds(text, "retire"));
  EXPECT_FALSE(holds(text, " 3-2 "));
}

TEST_F(TraceCommand, writes_lines_of_json) {
  for (const std::string& arguments :
       {"--trace " + path("t.jsonl"), "--trace-format json --trace " + path("t.txt")}) {
    const CommandResult result = run(arguments + " --trace-tiles 1,2 --trace-what stall --json");
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_TRUE(holds(result.out, "\"trace\":{\"file\":")) << result.out;
    EXPECT_TRUE(holds(result.out, "\"error\":\"\"")) << result.out;
    const std::string text = contents(arguments.substr(arguments.rfind(' ') + 1));
    EXPECT_TRUE(text.starts_with("{\"event\":\"begin\",\"version\":1,\"tiles\":[{\"tile\":"));
    EXPECT_TRUE(holds(text, "\"tile\":[1,2],\"agent\":\"thread0\",\"event\":\"stall\""));
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
      EXPECT_TRUE(line.starts_with("{") && line.ends_with("}")) << line;
    }
  }
}

TEST_F(TraceCommand, a_dash_is_standard_error) {
  const CommandResult result =
      run("--quiet --trace - --trace-tiles 1-2 --trace-what reset --trace-cores brisc");
  EXPECT_EQ(result.status, 0);
  EXPECT_TRUE(result.out.empty()) << result.out;
  EXPECT_TRUE(holds(result.err, "1-2    brisc    release    pc=0x00000")) << result.err;
}

TEST_F(TraceCommand, keeps_to_the_limit) {
  const CommandResult result =
      run("--trace " + path("t.txt") + " --trace-limit 10 --trace-cycles 100-");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(holds(result.out, "10 events (the limit) in ")) << result.out;
  const std::string text = contents(path("t.txt"));
  EXPECT_TRUE(holds(text, "# end: 10 events")) << text;
  EXPECT_TRUE(holds(text, "; the limit was reached, the run went on\n")) << text;
  std::istringstream stream(text);
  size_t events = 0;
  for (std::string line; std::getline(stream, line);) events += line.starts_with("#") ? 0 : 1;
  EXPECT_EQ(events, 10u);
}

TEST_F(TraceCommand, the_text_is_the_same_for_any_number_of_threads) {
  const std::string rest = " --quiet --trace-tiles 1-2:4-3 --trace-cycles 19000- --trace ";
  EXPECT_EQ(run("--threads 1" + rest + path("1.txt")).status, 0);
  const std::string one = contents(path("1.txt"));
  EXPECT_GT(lines_of(one), 10'000u);
  for (const std::string threads : {"2", "4"}) {
    EXPECT_EQ(run("--threads " + threads + rest + path("n.txt")).status, 0);
    EXPECT_TRUE(contents(path("n.txt")) == one) << threads;
  }
}

TEST_F(TraceCommand, a_disk_that_is_full_is_reported_and_the_run_goes_on) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full here";
  const CommandResult result = run("--trace /dev/full --trace-what reset");
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(holds(result.out, "all equal")) << result.out;
  EXPECT_TRUE(
      holds(result.err, "bhemu: /dev/full: the trace is not complete: No space left on device"))
      << result.err;
  const CommandResult json = run("--json --trace /dev/full --trace-what reset");
  EXPECT_EQ(json.status, 2);
  EXPECT_TRUE(holds(json.out, "\"error\":\"No space left on device\"")) << json.out;
}

TEST_F(TraceCommand, what_is_wrong_is_one_line_and_status_2_and_leaves_no_file) {
  const std::pair<const char*, const char*> wrong[] = {
      {"--trace-what riscy", "--trace-what: 'riscy' is no kind of a trace, did you mean 'riscv'?"},
      {"--trace-what ,", "--trace-what: names no kind"},
      {"--trace-tiles 1", "--trace-tiles: '1' must be a list of tiles"},
      {"--trace-tiles 1-2,3", "'3' must be a list of tiles"},
      {"--trace-tiles 1-99", "the board P100A has no tile 1-99"},
      {"--trace-tiles 4-4:2-2", "'4-4:2-2' must be a list of tiles"},
      {"--trace-tiles 1-300", "'1-300' must be a list of tiles"},
      {"--trace-tiles ' '", "names no tile"},
      {"--trace-cores trisc3", "--trace-cores: 'trisc3' is no core of a trace"},
      {"--trace-cycles 5", "--trace-cycles: '5' must be two cycles"},
      {"--trace-cycles 9-5", "'9-5' must be two cycles"},
      {"--trace-cycles -", "'-' must be two cycles"},
      {"--trace-cycles 1-x", "'1-x' must be two cycles"},
      {"--trace-limit 0", "--trace-limit: '0' must be a number of events"},
      {"--trace-limit many", "'many' must be a number of events"},
      {"--trace-format xml", "--trace-format: 'xml' is no format of a trace"},
      {"--board p300", "board 'p300' is unknown"},
  };
  for (const auto& [arguments, message] : wrong) {
    const CommandResult result = run("--trace " + path("t.txt") + " " + arguments);
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_TRUE(result.out.empty()) << arguments << ": " << result.out;
    EXPECT_TRUE(result.err.starts_with("bhemu: ")) << arguments << ": " << result.err;
    EXPECT_TRUE(holds(result.err, message)) << arguments << ": " << result.err;
    EXPECT_EQ(lines_of(result.err), 1u) << result.err;
    EXPECT_FALSE(std::filesystem::exists(path("t.txt"))) << arguments;
  }
}

TEST_F(TraceCommand, needs_a_file_that_can_be_written) {
  const CommandResult result = run("--trace " + path("no/such/t.txt"));
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(
      holds(result.err, "no/such/t.txt: the trace cannot be written: No such file or directory"))
      << result.err;
  const CommandResult alone = run("--trace-what noc");
  EXPECT_EQ(alone.status, 2);
  EXPECT_TRUE(holds(alone.err, "--trace-what requires --trace")) << alone.err;
}

}  // namespace
}  // namespace bhemu::test
