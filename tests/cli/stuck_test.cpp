// The programs of examples/stuck hang, each in its own way. A run stops by itself, exits with
// status 3 and names who waits, what for, and who could have released it.
#include <gtest/gtest.h>

#include "cli/command.hpp"

namespace bhemu::test {
namespace {

struct Hang {
  const char* name;
  const char* agent;  // who waits
  const char* what;   // what for
  const char* who;    // who could release it
};

class Stuck : public testing::TestWithParam<Hang> {};

TEST_P(Stuck, a_hang_stops_by_itself_and_explains_itself) {
  const Hang& hang = GetParam();
  Scratch scratch("bhemu_stuck_test");
  for (const char* options : {"", " --timing reference", " --threads 2"}) {
    const CommandResult result =
        bhemu(scratch, std::string("run " BHEMU_SOURCE_DIR "/examples/stuck/") + hang.name +
                           ".yaml" + options);
    EXPECT_EQ(result.status, 3) << hang.name << options << result.out << result.err;
    const std::string said = result.out + result.err;
    for (const char* text : {hang.agent, hang.what, hang.who})
      EXPECT_NE(said.find(text), std::string::npos) << hang.name << ": no '" << text << "' in\n"
                                                    << said;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Examples, Stuck,
    testing::Values(
        Hang{"cb", "BRISC of all 4 tiles", "circular buffer of stream 0: 0 pages received",
             "producer"},
        Hang{"semaphore", "BRISC of all 2 tiles", "semaphore 0 (L1[", "atomic of another"},
        Hang{"fifo", "thread 1 of (3, 4)", "SEMWAIT until semaphore 3 is not 0",
             "SEMPOST of semaphore 3"},
        Hang{"noc", "BRISC of (1, 2)", "reads over and over", "the cores of that tile"},
        Hang{"go", "BRISC of all 120 tiles", "the go message (L1[0x00370])", "the host"}),
    [](const auto& info) { return std::string(info.param.name); });

// It never stands still, since it asks again and again: what a runner's time limit finds.
TEST(Terminated, a_run_that_is_sent_sigterm_tells_where_it_stands) {
  Scratch scratch("bhemu_stuck_test");
  std::string program = contents(BHEMU_SOURCE_DIR "/tests/hangs/asks_again_for_ever.yaml");
  for (size_t at = 0; (at = program.find("prebuilt/", at)) != std::string::npos; at += 99)
    program.insert(at, BHEMU_SOURCE_DIR "/tests/hangs/");
  const CommandResult result =
      shell(scratch, "timeout --preserve-status 5 " BHEMU_BINARY_DIR "/bin/bhemu run " +
                         scratch.file("program.yaml", program));
  EXPECT_EQ(result.status, 143) << result.out << result.err;
  EXPECT_TRUE(result.err.starts_with("First cause: ")) << result.err;
  EXPECT_NE(result.err.find("asks_again_for_ever.c:"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace bhemu::test
