// Sessions with Debian's gdb-multiarch, as a user has them.
#include <gtest/gtest.h>

#include "cli/command.hpp"

namespace bhemu::test {
namespace {

bool holds(const std::string& text, const std::string& wanted) {
  return text.find(wanted) != std::string::npos;
}

class GdbSession : public testing::Test {
 protected:
  void SetUp() override {
    if (shell(scratch_, "gdb-multiarch --version").status != 0)
      GTEST_SKIP() << "gdb-multiarch is not installed (Debian: gdb-multiarch)";
  }
  /// What gdb prints when `commands` are given to it during `bhemu run arguments`.
  std::string debug(const std::string& arguments, const std::string& commands) {
    const std::string script = scratch_.file("commands", "set pagination off\n" + commands);
    const std::string connect = (scratch_.path() / "connect").string();
    const std::string socket = (scratch_.path() / "socket").string();
    const std::string command =
        std::string("cd " BHEMU_SOURCE_DIR " && ") + BHEMU_BINARY_DIR "/bin/bhemu run " +
        arguments + " --gdb " + socket + " --gdb-script " + connect + " > " +
        (scratch_.path() / "run").string() + " 2>&1 & while [ ! -s " + connect +
        " ] && kill -0 $!; do sleep 0.05; done; gdb-multiarch -batch -nx -x " + connect + " -x " +
        script + " 2>&1; wait $!; echo status $?";
    const CommandResult result = shell(scratch_, "bash -c '" + command + "'");
    return result.out + result.err;
  }
  Scratch scratch_{"bhemu_gdb_session"};
};

TEST_F(GdbSession, two_cores_an_inlined_function_a_word_of_the_packers_and_back) {
  const std::string text = debug("examples/copy.yaml --gdb-tiles 1-2,2-2",
                                 "info threads\n"
                                 "break CbWaitFront\n"
                                 "continue\n"
                                 "backtrace 3\n"
                                 "continue\n"
                                 "delete\n"
                                 "thread 1.1\n"
                                 "watch *(int*)0x38000\n"
                                 "continue\n"
                                 "x/wx 0x38000\n"
                                 "reverse-stepi\n"  // gdb steps once after a watchpoint
                                 "reverse-stepi\n"
                                 "x/wx 0x38000\n"
                                 "delete\n"
                                 "monitor cb\n"
                                 "monitor why 0x38000\n"
                                 "thread 1.5\n"
                                 "print $v1\n"
                                 "print $v1 = 7\n"
                                 "info registers v1\n"
                                 "thread 1.1\n"
                                 "print $v1\n"
                                 "watch *(int*)0x38000\n"
                                 "continue\n"
                                 "monitor why 0x38000\n"
                                 "delete\n"
                                 "continue\n");
  EXPECT_TRUE(holds(text, "\"(1,2) brisc\"")) << text;
  EXPECT_TRUE(holds(text, "\"(2,2) trisc2\"")) << text;
  EXPECT_TRUE(holds(text, "Breakpoint 1 at 0x890c: CbWaitFront. (2 locations)")) << text;
  EXPECT_TRUE(holds(text, "Thread 1.1 \"(1,2) brisc\" hit Breakpoint 1.1")) << text;
  EXPECT_TRUE(holds(text, "#1  CbWritePage () at kernels/sdk/dram_pages.h:17")) << text;
  EXPECT_TRUE(holds(text, "#2  WritePages () at kernels/common/writer.c:10")) << text;
  EXPECT_TRUE(holds(text, "Thread 2.1 \"(2,2) brisc\" hit Breakpoint 1.2")) << text;
  EXPECT_TRUE(holds(text, "0x38000 is written by thread 2 (instruction 0x41")) << text;
  EXPECT_TRUE(holds(text, "hit Hardware watchpoint 2: *(int*)0x38000")) << text;
  EXPECT_TRUE(holds(text, "0x38000:\t0x3f3f3f11")) << text;
  EXPECT_TRUE(holds(text, "0x38000:\t0x00000000")) << text;
  EXPECT_TRUE(holds(text, "CB 16: 0 of 2 pages of 2048 bytes at 0x38000")) << text;
  EXPECT_TRUE(holds(text, "[Inferior 1 (process 1) exited normally]")) << text;
  EXPECT_TRUE(holds(text, "status 0")) << text;
  EXPECT_TRUE(holds(text, "on it is remembered who writes what")) << text;
  EXPECT_TRUE(holds(text, "memory [0x38000, +4]: thread 2 with PACR 0x41000000 of a MOP")) << text;
  EXPECT_TRUE(holds(text, "v1             0x7")) << text;
  EXPECT_TRUE(holds(text, "$3 = <unavailable>")) << text;  // BRISC has no vectors
}

TEST_F(GdbSession, places_that_gdb_has_no_words_for_are_watched_by_monitor) {
  const std::string text = debug("examples/copy.yaml --gdb-tiles 1-2",
                                 "monitor watch dst:0\n"
                                 "monitor watch nowhere:0\n"
                                 "thread 1.1\n"
                                 "watch *(int*)0x38000\n"
                                 "continue\n"
                                 "delete\n"
                                 "monitor watch\n"
                                 "continue\n");
  EXPECT_TRUE(holds(text, "Who accesses dst:0 is told at the next stop.")) << text;
  EXPECT_TRUE(holds(text, "nowhere")) << text;
  EXPECT_TRUE(holds(text, "write of Dst row 0")) << text;
  EXPECT_TRUE(holds(text, "by thread 1 with MOVA2D")) << text;
  EXPECT_TRUE(holds(text, "nothing has come")) << text;
  EXPECT_TRUE(holds(text, "status 0")) << text;
}

TEST_F(GdbSession, a_hang_shows_its_first_cause_and_is_gone_back_from) {
  const std::string text = debug("tests/hangs/chain_of_five.yaml",
                                 "break Write\n"
                                 "continue\n"
                                 "continue\n"
                                 "thread 1.2\n"
                                 "reverse-continue\n"
                                 "delete\n"
                                 "continue\n"
                                 "kill\n");
  EXPECT_TRUE(holds(text, "hit Breakpoint 1, ")) << text;
  EXPECT_TRUE(holds(text, "First cause: NCRISC of (1, 2) waits at Read")) << text;
  EXPECT_TRUE(holds(text, "received signal SIGABRT")) << text;
  EXPECT_TRUE(holds(text, "status 3")) << text;
  const std::size_t first = text.find("hit Breakpoint 1, ");
  EXPECT_NE(text.find("hit Breakpoint 1, ", first + 1), std::string::npos) << text;
}

}  // namespace
}  // namespace bhemu::test
