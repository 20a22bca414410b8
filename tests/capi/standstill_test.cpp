// A client that waits in its own memory, as tt-metal's fast dispatch does, and a card that will
// never write there: a fault or a hang has to reach it all the same.
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "card_fixture.hpp"

namespace bhemu::test {
namespace {

using std::chrono::milliseconds;

class CardStandstill : public CardTest {
 protected:
  static constexpr u64 kGoMessage = 0x370;
  static constexpr u32 kInit = 0x4000'0000;
  static constexpr u32 kGo = 0x8000'0000;
  static constexpr u64 kFlag = 0x10000;

  /// A card that runs by itself under tt-metal with fast dispatch.
  void open_dispatching(Variables variables = {}) {
    for (const auto& [name, value] : variables) set(name, value);
    open("p150",
         {{"TT_METAL_SIMULATOR", "libbhemu.so"}, {"BHEMU_CLOCK", "free"}, {"BHEMU_HANG", "1"}});
  }
  /// The client waits for firmware, as at the start of the day.
  void await_firmware(Coord tile) {
    set_tile_word(tile, kGoMessage, kInit);
    for (int i = 0; i < 10; ++i) tile_word(tile, kGoMessage);
    set_tile_word(tile, kGoMessage, 0);
  }
  /// A kernel that waits for the flag; started by the chip it sets the go message itself.
  std::vector<u32> waiting(bool by_the_chip) {
    std::vector<u32> code;
    if (by_the_chip) store(code, kGoMessage, kGo);
    code.push_back(lui(8, kFlag));
    code.push_back(8 << 15 | 2 << 12 | 9 << 7 | 3);  // lw x9, 0(x8)
    code.push_back(0xFE048EE3);                      // beq x9, x0, -4
    store(code, kGoMessage, 0);
    code.push_back(kForever);
    return code;
  }
  /// What tt-metal does with TT_METAL_OPERATION_TIMEOUT_SECONDS: a look at a counter of the
  /// dispatcher's, ten times a second.
  std::string ask(int times) {
    std::string said;
    for (int i = 0; i < times && said.empty(); ++i) {
      std::this_thread::sleep_for(milliseconds(50));
      said = refusal([] { tile_word({2, 2}, 0x20000); });
    }
    return said;
  }
  static constexpr int kForEver = 1'000'000;
};

TEST_F(CardStandstill, a_client_that_asks_while_it_waits_hears_of_a_kernel_that_hangs) {
  open_dispatching({{"TT_METAL_OPERATION_TIMEOUT_SECONDS", "1000"}});
  await_firmware({1, 2});
  for (int round = 0; round < 2; ++round) {
    set_tile_word({1, 2}, kFlag, 0);
    run_brisc({1, 2}, waiting(true));
    const std::string said = ask(kForEver);
    for (const char* part : {"will never be done", "BRISC of (1, 2)", "L1[0x10000] is 0x00000000"})
      EXPECT_NE(said.find(part), std::string::npos) << part << " in " << said;
    // The next program runs: this one does, once somebody helps.
    set_tile_word({1, 2}, kFlag, 1);
    while (tile_word({1, 2}, kGoMessage) != 0) std::this_thread::yield();
  }
}

TEST_F(CardStandstill, a_hang_that_a_fault_has_made_names_the_fault) {
  open_dispatching({{"TT_METAL_OPERATION_TIMEOUT_SECONDS", "1000"}});
  await_firmware({1, 2});
  set_tile_word({1, 2}, kFlag, 0);
  std::vector<u32> code;
  store(code, 0xFFE4'0000, 0x44000000);  // RSTDMA to thread 0
  const std::vector<u32> rest = waiting(true);
  code.insert(code.end(), rest.begin(), rest.end());
  run_brisc({1, 2}, code);
  EXPECT_NE(ask(kForEver).find("Fault [misc-tdma-reset]"), std::string::npos);
  const std::string said = ask(kForEver);
  EXPECT_NE(said.find("First cause: thread 0 of (1, 2) is stopped by a fault at RSTDMA"),
            std::string::npos)
      << said;
}

TEST_F(CardStandstill, a_kernel_that_the_client_has_started_itself_may_wait_for_it) {
  open_dispatching({{"TT_METAL_OPERATION_TIMEOUT_SECONDS", "1000"}});
  await_firmware({1, 2});
  set_tile_word({1, 2}, kGoMessage, kGo);
  run_brisc({1, 2}, waiting(false));
  EXPECT_EQ(ask(50), "");
}

/// The client's last writes come while the core is at work, and are done by the short way.
TEST_F(CardStandstill, so_may_one_that_the_client_has_started_while_its_core_was_at_work) {
  open("p150", {{"TT_METAL_SIMULATOR", "libbhemu.so"},
                {"TT_METAL_OPERATION_TIMEOUT_SECONDS", "1000"},
                {"BHEMU_HANG", "1"}});
  await_firmware({1, 2});
  set_tile_word({1, 2}, 0x20000, 1);
  client.aim(2, {.x = 1, .y = 2});
  std::vector<u32> code;
  request(code, {0x20000, {1, 2}}, {kHostBase, {19, 24}}, kWrite, 4);
  const std::vector<u32> rest = waiting(false);
  code.insert(code.end(), rest.begin(), rest.end());
  run_brisc({1, 2}, code);
  for (int i = 0; i < 2; ++i) CardClient::put(client.window_base(2) + kGoMessage, kGo);
  // The card reaches into host memory and is left to itself.
  while (host_word(kHostBase) != 1) std::this_thread::yield();
  testing::internal::CaptureStderr();
  std::this_thread::sleep_for(milliseconds(3000));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

/// A client of its own: no go messages, only a flag that the kernel sets when it is done.
class OwnWord : public CardStandstill {
 protected:
  static constexpr u64 kDone = 0x20000;

  /// What is printed while the client looks at its word for some seconds, each in its own way.
  template <class Look>
  std::string printed(Look look) {
    testing::internal::CaptureStderr();
    const auto end = std::chrono::steady_clock::now() + milliseconds(2500);
    while (std::chrono::steady_clock::now() < end) look();
    return testing::internal::GetCapturedStderr();
  }
  static size_t count(const std::string& text, const std::string& part) {
    size_t found = 0;
    for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++found;
    return found;
  }
};

TEST_F(OwnWord, a_client_that_looks_for_ever_where_nobody_will_write_is_told_once) {
  open("p150", {{"BHEMU_HANG", "1"}, {"BHEMU_CLOCK", "calls"}});
  set_tile_word({1, 2}, kFlag, 0);
  set_tile_word({1, 2}, kDone, 0);
  run_brisc({1, 2}, waiting(false));
  const auto by_the_tile = [] {
    tile_word({1, 2}, kDone);
    libttsim_clock(1000);
  };
  const auto by_a_window = [this] {
    client.read32(1, 2, kDone);
    libttsim_clock(1000);
  };
  for (int way = 0; way < 2; ++way) {
    const std::string said = way == 0 ? printed(by_the_tile) : printed(by_a_window);
    EXPECT_EQ(count(said, "the client has looked at L1[0x20000] of (1, 2) for 1 s"), 1u) << said;
    for (const char* part : {"First cause: BRISC of (1, 2) waits", "L1[0x10000]", "Remedy: "})
      EXPECT_NE(said.find(part), std::string::npos) << part << " in " << said;
    // It has done something about it, and waits anew.
    set_tile_word({1, 2}, 0x30000, 0);
  }
}

TEST_F(OwnWord, of_a_kernel_that_has_ended_the_client_is_told_what_it_looks_at) {
  open("p150", {{"BHEMU_HANG", "1"}, {"BHEMU_CLOCK", "calls"}});
  std::vector<u32> code;
  store(code, kDone + 16, 1);  // beside the word
  code.push_back(kForever);
  run_brisc({1, 2}, code);
  const std::string said = printed([] {
    tile_word({1, 2}, kDone);
    libttsim_clock(1000);
  });
  for (const char* part : {"First cause: The host waits", "looked last at 0x20000 of (1, 2)"})
    EXPECT_NE(said.find(part), std::string::npos) << part << " in " << said;
}

TEST_F(OwnWord, a_word_in_dram_is_told_with_where_the_kernel_has_written_instead) {
  open("p150", {{"BHEMU_HANG", "1"}, {"BHEMU_CLOCK", "calls"}});
  constexpr Coord kBank{17, 12};
  set_tile_word(kBank, kDone, 0);
  set_tile_word({1, 2}, kDone, 0);
  std::vector<u32> code;
  store(code, kDone, 7);
  code.push_back(kForever);
  run_brisc({1, 2}, code);
  const std::string said = printed([&] {
    tile_word(kBank, kDone);
    libttsim_clock(1000);
  });
  for (const char* part : {"the client has looked at 0x20000 of DRAM bank", "for 1 s",
                           "The same address holds 0x7 in (1, 2).", "First cause: The host waits"})
    EXPECT_NE(said.find(part), std::string::npos) << part << " in " << said;
}

TEST_F(OwnWord, a_window_that_still_led_to_another_tile_is_found_by_its_write) {
  for (const bool quick : {false, true}) {
    open("p150", {{"BHEMU_HANG", "1"}, {"BHEMU_CLOCK", "calls"}});
    for (const Coord tile : {Coord{1, 2}, Coord{2, 2}}) set_tile_word(tile, kFlag, 0);
    set_tile_word({1, 2}, kDone, 0);
    run_brisc({1, 2}, waiting(false));
    if (quick) {
      // As a client that has used the window before, while nothing happens on the chip.
      libttsim_clock(1000);
      client.read32(2, 2, kFlag);
    }
    client.write32(2, 2, kFlag, 1);
    const std::string said = printed([] {
      tile_word({1, 2}, kDone);
      libttsim_clock(1000);
    });
    for (const char* part :
         {"First cause: BRISC of (1, 2) waits", "the host has written L1[0x10000] of (2, 2)",
          "the same place of another tile", "a window leads where it was aimed last"})
      EXPECT_NE(said.find(part), std::string::npos) << part << " in " << said;
  }
}

TEST_F(OwnWord, what_the_client_has_written_there_itself_is_told_with_its_value) {
  open("p150", {{"BHEMU_HANG", "1"}, {"BHEMU_CLOCK", "calls"}});
  set_tile_word({1, 2}, kFlag, 0);
  // It waits for 2.
  run_brisc({1, 2}, {lui(8, kFlag), addi(10, 0, 2), 8 << 15 | 2 << 12 | 9 << 7 | 3,
                     // bne x9, x10, -4
                     0xFEA49EE3, kForever});
  set_tile_word({1, 2}, kFlag, 1);
  const std::string said = printed([] {
    tile_word({1, 2}, kDone);
    libttsim_clock(1000);
  });
  for (const char* part : {"to be exactly 0x2; it is 0x1", "the host has written 0x1 there"})
    EXPECT_NE(said.find(part), std::string::npos) << part << " in " << said;
}

TEST_F(OwnWord, tt_metal_is_not_told_since_its_prints_and_watcher_look_at_leisure) {
  open("p150", {{"BHEMU_HANG", "1"},
                {"BHEMU_CLOCK", "calls"},
                {"TT_METAL_SIMULATOR", "libbhemu.so"},
                {"TT_METAL_SLOW_DISPATCH_MODE", "1"}});
  EXPECT_EQ(printed([] { tile_word({1, 2}, kDone); }), "");
}

TEST_F(OwnWord, a_client_whose_kernel_works_or_who_reads_data_is_not_told) {
  open("p150", {{"BHEMU_HANG", "1"}, {"BHEMU_CLOCK", "calls"}});
  // It counts, somewhere else than the client looks.
  run_brisc({1, 2}, {lui(6, 0x30000), addi(5, 5, 1), sw(5, 6, 0), 0xFF9FF06F});
  EXPECT_EQ(printed([] {
              tile_word({1, 2}, kDone);
              libttsim_clock(1000);
            }),
            "");
  // Nothing runs, and a thousand words are read over and over.
  client.write32(1, 2, 0xFFB121B0, 0x47800);
  EXPECT_EQ(printed([] {
              for (u64 i = 0; i < 1000; ++i) tile_word({1, 2}, kDone + 4 * i);
            }),
            "");
}

TEST_F(CardStandstill, a_client_that_still_writes_is_not_told_of_a_hang) {
  open_dispatching({{"TT_METAL_OPERATION_TIMEOUT_SECONDS", "1000"}});
  await_firmware({1, 2});
  run_brisc({1, 2}, waiting(true));
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(ask(2), "");
    set_tile_word({2, 2}, 0x20000, static_cast<u32>(i));
  }
}

/// A client that is asked by a signal where everything stands. What is printed goes to a file,
/// which can be looked at while the client goes on.
class AskedBySignal : public OwnWord {
 protected:
  AskedBySignal() {
    std::signal(SIGUSR1, SIG_DFL);  // whatever the tests were started with
    std::signal(SIGINT, SIG_DFL);
  }
  static std::string contents(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }
  void start() {
    open("p150", {{"BHEMU_CLOCK", "calls"}});
    set_tile_word({1, 2}, kFlag, 0);
    set_tile_word({1, 2}, kGoMessage, kGo);
    run_brisc({1, 2}, waiting(false));
    libttsim_clock(1000);
  }
};

TEST_F(AskedBySignal, sigusr1_prints_where_everything_stands_and_the_client_goes_on) {
  start();
  const auto file = std::filesystem::temp_directory_path() /
                    ("bhemu_asked_by_signal_" + std::to_string(getpid()));
  const int before = dup(STDERR_FILENO);
  const int printed = ::open(file.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
  dup2(printed, STDERR_FILENO);
  std::raise(SIGUSR1);
  std::string said;
  while (said.find("L1[0x10000]") == std::string::npos) {
    libttsim_clock(100);
    said = contents(file);
  }
  dup2(before, STDERR_FILENO);
  ::close(printed);
  ::close(before);
  std::filesystem::remove(file);
  EXPECT_NE(said.find("BRISC of (1, 2)"), std::string::npos) << said;
  set_tile_word({1, 2}, kFlag, 1);
  while (tile_word({1, 2}, kGoMessage) != 0) libttsim_clock(100);
  close();
  EXPECT_EQ(std::signal(SIGUSR1, SIG_DFL), SIG_DFL) << "given back";
}

using AskedBySignalDeathTest = AskedBySignal;

TEST_F(AskedBySignalDeathTest, ctrl_c_ends_the_client_and_says_where_everything_stands) {
  EXPECT_EXIT(
      {
        start();
        std::raise(SIGINT);
        for (;;) libttsim_clock(100);
      },
      testing::KilledBySignal(SIGINT), "BRISC of \\(1, 2\\)(.|\n)*L1\\[0x10000\\]");
}

using CardStandstillDeathTest = CardStandstill;

TEST_F(CardStandstillDeathTest, a_client_that_never_asks_ends_with_the_report_of_a_fault) {
  EXPECT_EXIT(
      {
        open_dispatching();
        run_brisc({2, 3}, {0xFFFFFFFF});
        for (;;) std::this_thread::sleep_for(milliseconds(100));
      },
      testing::ExitedWithCode(4), "riscv-illegal-instruction(.|\n)*TT_METAL_OPERATION_TIMEOUT");
}

}  // namespace
}  // namespace bhemu::test
