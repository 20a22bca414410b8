// When time passes behind the libttsim interface: in calls, all the time, or from when the client
// is seen to wait for its own memory.
#include <atomic>
#include <chrono>
#include <thread>

#include "card_fixture.hpp"

namespace bhemu::test {
namespace {

using std::chrono::milliseconds;

class CardClock : public CardTest {
 protected:
  static constexpr u64 kFlag = 0x10000;  // in L1: the program waits until it is not 0
  static constexpr u64 kDone = kHostBase + 0x100;
  static constexpr u32 kValue = 0xFEEDF00D;

  /// Waits for the flag, then writes the word of L1 0x20000 to host memory, again for each flag.
  std::vector<u32> completing() {
    std::vector<u32> code;
    code.push_back(lui(8, kFlag));
    const auto again = code.size();
    code.push_back(0x0000000F | 0x0FF00000);         // fence
    code.push_back(8 << 15 | 2 << 12 | 9 << 7 | 3);  // lw x9, 0(x8)
    code.push_back(0xFE048CE3);                      // beq x9, x0, -8
    code.push_back(sw(0, 8, 0));
    request(code, {0x20000, {1, 2}}, {kDone, {19, 24}}, kWrite, 4);
    code.push_back(jump(static_cast<i32>(again) - static_cast<i32>(code.size())));
    return code;
  }
  static u32 jump(i32 instructions) {
    const u32 offset = static_cast<u32>(instructions * 4);
    return (offset >> 20 & 1) << 31 | (offset >> 1 & 0x3FF) << 21 | (offset >> 11 & 1) << 20 |
           (offset >> 12 & 0xFF) << 12 | 0x6F;
  }
  void prepare() {
    client.write32(1, 2, 0x20000, kValue);
    client.write32(1, 2, kFlag, 0);
    run_brisc({1, 2}, completing());
    for (int i = 0; i < 40; ++i) libttsim_clock(256);
  }
  /// What tt-metal's fast dispatch does: one write, and then a look at its own memory for ever.
  static void await(u64 address, u32 value) {
    while (host_word(address) != value) std::this_thread::yield();
  }
};

TEST_F(CardClock, a_client_that_only_looks_at_its_memory_gets_its_answer) {
  // The first tells that the client is tt-metal with fast dispatch; a stranger waits longer.
  open("p150", {{"TT_METAL_SIMULATOR", "libbhemu.so"}});
  prepare();
  for (int round = 0; round < 3; ++round) {
    client.write32(1, 2, kFlag, 1);
    await(kDone, kValue);
    __atomic_store_n(at(kDone, 4), u8{0}, __ATOMIC_RELEASE);
  }
}

TEST_F(CardClock, a_client_that_is_busy_with_something_else_keeps_the_clock_in_its_hands) {
  open("p150", {{"TT_METAL_SIMULATOR", "libbhemu.so"}});
  // A program that computes for a while, and never looks at host memory.
  std::vector<u32> code{lui(6, 0x10000), lui(7, 0x8000), addi(5, 0, 0),
                        addi(5, 5, 1),   sw(5, 6, 0),    0xFE729CE3};
  code.push_back(kForever);
  run_brisc({1, 2}, code);
  // In a silence that is long enough it is run to its end, however long a busy host makes that.
  for (int silence = 150; tile_word({1, 2}, 0x10000) != 0x8000; silence *= 2)
    std::this_thread::sleep_for(milliseconds(silence));
  // And the clock stands still again, except where the host keeps us from calling for too long.
  u32 passed = ~0u;
  for (int i = 0; i < 1000 && passed >= 10000; ++i) {
    const u32 clock = tile_word({1, 2}, 0xFFB121F0);
    std::this_thread::sleep_for(milliseconds(10));
    passed = tile_word({1, 2}, 0xFFB121F0) - clock;
  }
  EXPECT_LT(passed, 10000u);
}

TEST_F(CardClock, with_calls_only_nothing_happens_without_one) {
  open("p150", {{"BHEMU_CLOCK", "calls"}, {"TT_METAL_SIMULATOR", "libbhemu.so"}});
  prepare();
  client.write32(1, 2, kFlag, 1);
  std::this_thread::sleep_for(milliseconds(300));
  EXPECT_EQ(host_word(kDone), 0u);
  for (int i = 0; i < 40; ++i) libttsim_clock(256);
  EXPECT_EQ(host_word(kDone), kValue);
}

TEST_F(CardClock, a_free_card_needs_no_call_from_the_start) {
  open("p150", {{"BHEMU_CLOCK", "free"}});
  client.write32(1, 2, 0x20000, kValue);
  client.write32(1, 2, kFlag, 1);
  run_brisc({1, 2}, completing());
  await(kDone, kValue);
}

TEST_F(CardClock, a_client_without_host_memory_keeps_the_clock_in_its_hands) {
  set("BHEMU_BOARD", "p150");
  libttsim_set_pci_dma_mem_callbacks(nullptr, nullptr);
  libttsim_init();
  client = CardClient();
  run_brisc({1, 2}, {lui(6, 0x10000), addi(5, 5, 1), sw(5, 6, 0), 0xFF9FF06F});
  libttsim_clock(256);
  const u32 before = tile_word({1, 2}, 0x10000);
  std::this_thread::sleep_for(milliseconds(300));
  EXPECT_EQ(tile_word({1, 2}, 0x10000), before);
  libttsim_exit();
}

TEST_F(CardClock, a_clients_calls_count_while_the_card_runs_freely) {
  open("p150", {{"BHEMU_CLOCK", "free"}});
  run_brisc({1, 2}, {lui(6, 0x10000), addi(5, 5, 1), sw(5, 6, 0), 0xFF9FF06F});
  const u32 before = client.read32(1, 2, 0x10000);
  libttsim_clock(30000);
  // The loop takes three cycles, so this many rounds fit into the call alone.
  EXPECT_GE(client.read32(1, 2, 0x10000) - before, 30000u / 4);
}

TEST_F(CardClock, a_fault_of_a_free_card_reaches_the_next_call_once) {
  open("p150", {{"BHEMU_CLOCK", "free"}});
  run_brisc({3, 3}, {lui(6, 0x10000), addi(5, 5, 1), sw(5, 6, 0), 0xFF9FF06F});
  run_brisc({2, 3}, {0xFFFFFFFF});
  std::string said;
  while (said.empty()) said = refusal([&] { tile_word({3, 3}, 0); });
  EXPECT_NE(said.find("riscv-illegal-instruction"), std::string::npos) << said;
  EXPECT_NE(said.find("(2, 3)"), std::string::npos) << said;
  // The others go on.
  const u32 before = tile_word({3, 3}, 0x10000);
  while (tile_word({3, 3}, 0x10000) == before) std::this_thread::yield();
}

TEST_F(CardClock, a_fault_that_nobody_asks_about_is_printed) {
  testing::internal::CaptureStderr();
  open("p150", {{"BHEMU_CLOCK", "free"}});
  prepare();
  // A place that no memory of the host's has.
  std::vector<u32> code;
  request(code, {0x20000, {1, 2}}, {0x10, {19, 24}}, kWrite, 4);
  code.push_back(kForever);
  run_brisc({1, 2}, code);
  std::string said;
  while (said.empty()) {
    std::this_thread::sleep_for(milliseconds(10));
    said = testing::internal::GetCapturedStderr();
    if (said.empty()) testing::internal::CaptureStderr();
  }
  EXPECT_NE(said.find("pcie-address"), std::string::npos) << said;
  EXPECT_NE(said.find("has not called"), std::string::npos) << said;
  EXPECT_NE(refusal([&] { tile_word({1, 2}, 0); }).find("pcie-address"), std::string::npos);
}

TEST_F(CardClock, a_free_card_ends_with_its_client_at_any_moment) {
  for (int i = 0; i < 5; ++i) {
    open("p150", {{"BHEMU_CLOCK", "free"}});
    client.write32(1, 2, 0x20000, kValue);
    client.write32(1, 2, kFlag, 1);
    run_brisc({1, 2}, completing());
    std::this_thread::sleep_for(milliseconds(i));
    close();
    // Nobody comes to the client's memory any more.
    host().assign(kHostBytes, 0);
  }
}

TEST_F(CardClock, several_threads_may_call_while_the_card_runs_freely) {
  open("p150", {{"BHEMU_CLOCK", "free"}});
  run_brisc({1, 2}, {lui(6, 0x10000), addi(5, 5, 1), sw(5, 6, 0), 0xFF9FF06F});
  std::atomic<unsigned> rising{0};
  const auto look = [&] {
    u32 last = 0;
    for (int i = 0; i < 50; ++i) {
      const u32 now = tile_word({1, 2}, 0x10000);
      libttsim_clock(64);
      rising += now >= last;
      last = now;
    }
  };
  std::thread other(look);
  look();
  other.join();
  EXPECT_EQ(rising, 100u);
}

}  // namespace
}  // namespace bhemu::test
