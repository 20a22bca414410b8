// Clients that know nothing of bhemu run under `bhemu shim`: one of ours in C++, one in Python.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "cli/command.hpp"

namespace bhemu::test {
namespace {

constexpr const char* kClient = BHEMU_BINARY_DIR "/tests/bhemu_shim_client ";
constexpr const char* kPython = "/usr/bin/python3 " BHEMU_SOURCE_DIR "/tests/shim/clients/";

CommandResult shim(const std::string& arguments) {
  const Scratch scratch("bhemu-shim-test");
  return bhemu(scratch, "shim " + arguments);
}

void passes(const std::string& check) {
  const CommandResult result = shim("-- " + std::string(kClient) + check);
  EXPECT_EQ(result.status, 0) << result.err;
}

TEST(Shim, clients_find_the_card_as_blackhole_py_and_umd_do) {
  passes("discovery");
  passes("other_ways_to_look");
}

TEST(Shim, descriptors_of_the_card_behave_as_a_device_s) {
  passes("descriptors");
}

TEST(Shim, memory_copies_of_any_size_reach_l1_and_dram_and_registers) {
  passes("copies");
}

TEST(Shim, a_window_that_is_pointed_elsewhere_shows_that_at_the_next_load) {
  passes("reconfiguration");
  passes("two_views");
}

TEST(Shim, threads_have_windows_of_their_own) {
  passes("threads");
}

TEST(Shim, a_client_with_all_signals_blocked_reaches_registers) {
  passes("blocked_signals");
}

TEST(Shim, the_client_s_own_handler_gets_the_client_s_own_faults) {
  passes("own_handler");
  passes("small_signal_stack");
}

TEST(Shim, an_instruction_that_cannot_be_done_is_named_and_ends_the_process) {
  const Scratch scratch("bhemu-shim-test");
  const CommandResult result =
      bhemu(scratch, std::string("shim -- sh -c '") + kClient + "refused_instruction; exit $?'");
  EXPECT_EQ(result.status, 128 + SIGSEGV);
  EXPECT_NE(result.err.find("call ["), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("cannot be done"), std::string::npos) << result.err;
}

TEST(Shim, a_forked_child_has_no_card_and_an_executed_program_its_own) {
  passes("fork_and_exec");
}

TEST(Shim, mappings_are_unmapped_in_parts_and_hold_their_window) {
  passes("mappings");
}

TEST(Shim, system_calls_take_windows_as_buffers) {
  passes("system_calls");
}

TEST(Shim, large_windows_and_pinned_memory_cost_what_is_touched) {
  passes("large_mappings");
}

TEST(Shim, no_time_passes_on_the_card_between_stores_of_adjacent_instructions) {
  passes("adjacent_stores");
}

TEST(Shim, a_client_that_asks_for_a_kernel_that_hangs_gets_the_report_and_all_ones) {
  const Scratch scratch("bhemu-shim-test");
  const CommandResult result =
      bhemu(scratch, "shim -- env BHEMU_HANG=1 " + std::string(kClient) + "hang");
  EXPECT_EQ(result.status, 0) << result.err;
  for (const char* part : {"whether the program on (1, 2) is done", "BRISC of (1, 2)"})
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
}

void ends(const std::string& check, const std::string& why) {
  const Scratch scratch("bhemu-shim-test");
  const CommandResult result =
      bhemu(scratch, "shim -- env BHEMU_HANG=1 " + std::string(kClient) + check);
  EXPECT_EQ(result.status, 4) << result.err;
  for (const std::string& part : {std::string("riscv-illegal-instruction"), why})
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
}

TEST(Shim, a_client_that_does_not_notice_that_the_card_is_dead_is_ended_with_the_report) {
  ends("waits_for_ever", "has not looked at the card since, so the process ends here");
  ends("asks_for_ever", "goes on asking the card");
}

TEST(Shim, the_card_reads_and_writes_pinned_memory) {
  passes("pinned_memory");
}

TEST(Shim, a_client_in_python_runs_unchanged) {
  const CommandResult result = shim("-- " + std::string(kPython) + "client_test.py");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "ok\n");
}

TEST(Shim, options_choose_the_board) {
  const CommandResult result =
      shim("--board p150 -- " + std::string(kPython) + "client_test.py p150");
  EXPECT_EQ(result.status, 0) << result.err;
}

TEST(Shim, exit_statuses_are_the_command_s_or_a_shell_s) {
  EXPECT_EQ(shim("-- sh -c 'exit 7'").status, 7);
  EXPECT_EQ(shim("-- no-such-command-anywhere").status, 127);
  EXPECT_EQ(shim("-- /dev/null").status, 126);
  EXPECT_EQ(shim("").status, 2);
  const CommandResult wrong = shim("--board p10 -- true");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.err.find("did you mean"), std::string::npos) << wrong.err;
}

TEST(Shim, a_library_that_is_preloaded_already_stays_so) {
  const CommandResult result = shim("-- sh -c 'echo $LD_PRELOAD'");
  EXPECT_NE(result.out.find("libbhemu_shim.so"), std::string::npos);
  ::setenv("LD_PRELOAD", "libdl.so.2", 1);
  const CommandResult both = shim("-- sh -c 'echo $LD_PRELOAD'");
  ::unsetenv("LD_PRELOAD");
  EXPECT_NE(both.out.find("libbhemu_shim.so:libdl.so.2"), std::string::npos) << both.out;
}

TEST(Shim, settings_that_are_wrong_are_said_and_there_is_no_card) {
  ::setenv("BHEMU_BOARD", "p10", 1);
  const CommandResult result = shim("-- ls /dev/tenstorrent");
  ::unsetenv("BHEMU_BOARD");
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("BHEMU_BOARD"), std::string::npos) << result.err;
}

TEST(Shim, nothing_is_left_behind) {
  const Scratch temporary("bhemu-shim-left");
  ::setenv("TMPDIR", temporary.path().c_str(), 1);
  EXPECT_EQ(shim("-- ls /dev/tenstorrent").status, 0);
  // Killed, it cannot clean up; the next one does.
  EXPECT_NE(shim("-- sh -c 'ls /dev/tenstorrent; exec 3</dev/tenstorrent/0; kill -9 $$'").status,
            0);
  EXPECT_EQ(shim("-- ls /dev/tenstorrent").status, 0);
  ::unsetenv("TMPDIR");
  unsigned left = 0;
  for (const auto& entry : std::filesystem::directory_iterator(temporary.path()))
    left += entry.path().filename().string().starts_with("bhemu-shim.") ? 1 : 0;
  EXPECT_EQ(left, 0u);
}

}  // namespace
}  // namespace bhemu::test
