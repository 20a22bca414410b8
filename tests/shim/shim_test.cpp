// Clients that know nothing of bhemu run under `bhemu shim`: one of ours in C++, one in Python.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <initializer_list>
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

// clients/own_program.py with what its user has set, and what came out.
CommandResult own_program(const std::string& environment, const std::string& arguments) {
  const Scratch scratch("bhemu-shim-test");
  return shell(scratch, environment + " " + BHEMU_BINARY_DIR "/bin/bhemu shim -- " + kPython +
                            "own_program.py " + arguments);
}

void says(const CommandResult& result, std::initializer_list<const char*> parts) {
  for (const char* part : parts)
    EXPECT_NE(result.err.find(part), std::string::npos) << part << " in " << result.err;
}

TEST(Shim, a_client_that_looks_for_a_word_that_nobody_writes_is_told_once) {
  const CommandResult result = own_program("BHEMU_HANG=1", "looks 6");
  EXPECT_EQ(result.out, "given up\n");
  says(result, {"the client has looked at 0x1000 of DRAM bank 0", "First cause: BRISC of (1, 2)",
                "for L1[0x00370] to be exactly 0x80000000", "Remedy: "});
  const size_t first = result.err.find("the client has looked");
  EXPECT_EQ(result.err.find("the client has looked", first + 1), std::string::npos) << result.err;
}

TEST(Shim, a_window_that_still_leads_to_another_tile_is_found_by_its_write) {
  const std::string elf = "BHEMU_ELF=" BHEMU_SOURCE_DIR "/kernels/prebuilt/command_queue_worker";
  says(own_program("BHEMU_HANG=1 " + elf, "astray 6"),
       {"the client has looked at L1[0x408] of (1, 2)",
        "BRISC of (1, 2) waits at Work (kernels/command_queue/worker.c:21)",
        "the host has written L1[0x370] of (2, 2)", "a window leads where it was aimed last"});
}

TEST(Shim, a_client_in_python_is_asked_by_a_signal_where_everything_stands) {
  // Python keeps SIGINT for itself; SIGUSR1 is free.
  const Scratch scratch("bhemu-shim-test");
  const CommandResult result =
      shell(scratch, std::string("bash -c 'BHEMU_HANG=0 " BHEMU_BINARY_DIR "/bin/bhemu shim -- ") +
                         kPython + "own_program.py asks 0'");
  EXPECT_EQ(result.out, "interrupted\n") << result.err;
  says(result, {"First cause: BRISC of (1, 2)", "L1[0x00370]", "At cycle"});
}

TEST(Shim, a_client_is_debugged_from_its_first_instruction) {
  const Scratch scratch("bhemu-shim-test");
  if (shell(scratch, "gdb-multiarch --version").status != 0)
    GTEST_SKIP() << "gdb-multiarch is not installed (Debian: gdb-multiarch)";
  const std::string path = scratch.path().string();
  const std::string elf = BHEMU_SOURCE_DIR "/kernels/prebuilt/command_queue_worker/brisc.elf";
  const std::string script = scratch.file("commands",
                                          "set pagination off\n"
                                          "tbreak *0x4000\n"
                                          "continue\n"
                                          "add-symbol-file " +
                                              elf +
                                              " -o 0x4000\n"
                                              "watch *(int*)0x404\n"
                                              "continue\n"
                                              "backtrace\n"
                                              "x/wx 0x404\n"
                                              "reverse-stepi\n"
                                              "reverse-stepi\n"
                                              "x/wx 0x404\n"
                                              "monitor waits\n"
                                              "delete\n"
                                              "shell touch " +
                                              path +
                                              "/looked\n"
                                              "detach\n");
  const std::string command =
      "BHEMU_GDB=" + path + "/socket BHEMU_GDB_SCRIPT=" + path + "/connect BHEMU_GDB_TILES=1-2 " +
      "BHEMU_ELF=" + elf + " " + BHEMU_BINARY_DIR "/bin/bhemu shim -- " + kPython +
      "own_program.py debugged " + path + "/looked > " + path + "/out 2>&1 & while [ ! -s " + path +
      "/connect ] && kill -0 $!; do sleep 0.05; done; gdb-multiarch -batch -nx -x " + path +
      "/connect -x " + script + " 2>&1; wait $!; echo status $?; cat " + path + "/out";
  const CommandResult result = shell(scratch, "bash -c '" + command + "'");
  for (const char* part : {"0x00404 is written by BRISC", "hit Hardware watchpoint 2: *(int*)0x404",
                           "in Work () at kernels/command_queue/worker.c:24", "0x404:\t0x0000002a",
                           "0x404:\t0x00000000", "BRISC of (1, 2)", "status 0", "sum 42"})
    EXPECT_NE(result.out.find(part), std::string::npos) << part << " in " << result.out;
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
