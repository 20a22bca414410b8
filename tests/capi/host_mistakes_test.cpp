// What the C API says to host code that is wrong, each beside what is right.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bhemu/bhemu.h"

namespace bhemu::test {
namespace {

struct Destroy {
  void operator()(bhemu_device* device) const { bhemu_destroy(device); }
};
using Card = std::unique_ptr<bhemu_device, Destroy>;

constexpr std::uint64_t kGo = 0x370;
constexpr std::uint32_t kGoWord = 0x8000'0000;

Card card() {
  const bhemu_options options = bhemu_default_options(BHEMU_P100A);
  return Card(bhemu_create(&options));
}

void run_code(bhemu_device* device, const std::vector<std::uint32_t>& code) {
  ASSERT_EQ(bhemu_write(device, 1, 2, 0x4000, code.data(), 4 * code.size()), BHEMU_OK);
  ASSERT_EQ(bhemu_start_core(device, 1, 2, BHEMU_BRISC, 0x4000), BHEMU_OK);
}

int never(bhemu_device* /*device*/, void* /*user*/) {
  return 0;
}

/// What the library says no with.
std::string refusal(int status, int expected) {
  EXPECT_EQ(status, expected);
  return bhemu_last_error();
}

void expect_parts(const std::string& said, std::initializer_list<const char*> parts) {
  for (const char* part : parts)
    EXPECT_NE(said.find(part), std::string::npos) << part << " in " << said;
}

TEST(HostMistakes, a_go_without_a_launch_message_is_refused_and_the_tile_stays_as_it_was) {
  const Card device = card();
  ASSERT_EQ(bhemu_boot(device.get(), nullptr), BHEMU_OK);
  expect_parts(
      refusal(bhemu_write(device.get(), 1, 2, kGo, &kGoWord, 4), BHEMU_BAD_INPUT),
      {"First cause: The launch message of (1, 2)", "enables no core", "Remedy: write the launch"});
  std::uint32_t word = ~0u;
  ASSERT_EQ(bhemu_read(device.get(), 1, 2, kGo, &word, 4), BHEMU_OK);
  EXPECT_EQ(word, 0u);
  expect_parts(
      refusal(bhemu_multicast(device.get(), 1, 2, 3, 3, kGo, &kGoWord, 4), BHEMU_BAD_INPUT),
      {"enables no core"});
  // A tile that reports to a dispatcher may be told to go with nothing to run.
  const std::uint32_t dispatched = 0x8002'0200;
  EXPECT_EQ(bhemu_write(device.get(), 1, 2, kGo, &dispatched, 4), BHEMU_OK) << bhemu_last_error();
}

TEST(HostMistakes, what_is_a_go_message_for_the_firmware_is_data_for_other_code) {
  for (const bool booted : {false, true}) {
    const Card device = card();
    if (booted) {
      ASSERT_EQ(bhemu_boot(device.get(), nullptr), BHEMU_OK);
    }
    run_code(device.get(), {0x0000'006F});  // j .
    EXPECT_EQ(bhemu_write(device.get(), 1, 2, kGo, &kGoWord, 4), BHEMU_OK) << bhemu_last_error();
    std::uint32_t word = 0;
    ASSERT_EQ(bhemu_read(device.get(), 1, 2, kGo, &word, 4), BHEMU_OK);
    EXPECT_EQ(word, kGoWord);
  }
}

TEST(HostMistakes, a_predicate_that_cannot_come_true_is_the_cause_with_what_it_has_read) {
  const Card device = card();
  run_code(device.get(), {0x0000'006F});  // j .
  const auto reads_elsewhere = [](bhemu_device* at, void* /*user*/) {
    std::uint32_t word = 0;
    bhemu_read(at, 2, 2, 0x1000C, &word, 4);
    return static_cast<int>(word != 0);
  };
  expect_parts(refusal(bhemu_run(device.get(), 100'000, reads_elsewhere, nullptr), BHEMU_HANG),
               {"First cause: The host waits for a condition", "0x1000c of (2, 2)",
                "BRISC of (1, 2) goes round at 0x4000"});
}

TEST(HostMistakes, without_a_predicate_the_loop_is_the_cause) {
  const Card device = card();
  run_code(device.get(), {0x0000'006F});
  expect_parts(refusal(bhemu_run(device.get(), 100'000, nullptr, nullptr), BHEMU_HANG),
               {"First cause: BRISC of (1, 2) waits for nothing at all"});
}

TEST(HostMistakes, a_limit_without_a_condition_is_no_failure_to_report) {
  const Card device = card();
  ASSERT_EQ(bhemu_boot(device.get(), nullptr), BHEMU_OK);
  run_code(device.get(), {0x0012'8293, 0xFFDF'F06F});  // addi t0, t0, 1; j back
  EXPECT_EQ(refusal(bhemu_run(device.get(), 1000, nullptr, nullptr), BHEMU_LIMIT)
                .find("the cycle limit was reached at cycle"),
            0u);
}

TEST(HostMistakes, a_limit_says_who_still_runs) {
  const Card device = card();
  run_code(device.get(), {0x0015'0513, 0xFFDF'F06F});  // addi a0, a0, 1; j -4
  expect_parts(refusal(bhemu_run(device.get(), 100'000, never, nullptr), BHEMU_LIMIT),
               {"First cause: BRISC of (1, 2) still runs", "Remedy: ", "the cycle limit was"});
}

TEST(HostMistakes, a_core_without_code_is_the_cause_of_what_a_thread_complains_of) {
  const Card device = card();
  ASSERT_EQ(bhemu_start_core(device.get(), 1, 2, BHEMU_TRISC1, 0x4000), BHEMU_OK);
  expect_parts(refusal(bhemu_run(device.get(), 100'000, never, nullptr), BHEMU_FAULT),
               {"First cause: TRISC1 of (1, 2) runs at 0x4", "where there is no code",
                "tensix-unknown-opcode"});
}

TEST(HostMistakes, a_device_in_the_hands_of_one_thread_refuses_another) {
  const Card device = card();
  run_code(device.get(), {0x0015'0513, 0xFFDF'F06F});
  struct State {
    std::atomic<bool> inside{false};
    std::atomic<bool> leave{false};
  } state;
  std::thread other([&] {
    while (!state.inside) std::this_thread::yield();
    std::uint32_t word = 0;
    expect_parts(refusal(bhemu_read(device.get(), 1, 2, 0, &word, 4), BHEMU_BAD_INPUT),
                 {"another thread is in a call", "bhemu_clone"});
    state.leave = true;
  });
  const auto waits = [](bhemu_device* at, void* user) {
    auto& shared = *static_cast<State*>(user);
    shared.inside = true;
    std::uint32_t word = 0;
    // The predicate's own thread may go on using it.
    EXPECT_EQ(bhemu_read(at, 1, 2, 0, &word, 4), BHEMU_OK);
    return static_cast<int>(shared.leave);
  };
  EXPECT_EQ(bhemu_run(device.get(), ~0ull, waits, &state), BHEMU_OK) << bhemu_last_error();
  other.join();
  std::uint32_t word = 0;
  std::thread later([&] { EXPECT_EQ(bhemu_read(device.get(), 1, 2, 0, &word, 4), BHEMU_OK); });
  later.join();
}

TEST(HostMistakes, places_where_nothing_is_are_explained) {
  const Card device = card();
  std::array<std::uint8_t, 64> bytes{};
  const auto read = [&](std::uint32_t x, std::uint32_t y, std::uint64_t address,
                        std::size_t count) {
    return refusal(bhemu_read(device.get(), x, y, address, bytes.data(), count), BHEMU_BAD_INPUT);
  };
  expect_parts(read(16, 2, 0, 4), {"fused off", "x 1 to 7 and 10 to 14", "Remedy: "});
  expect_parts(read(3, 14, 0, 4), {"(14, 3) is a Tensix tile"});
  expect_parts(read(1, 2, 0x17FFF0, 64), {"runs over the end of L1, 0x180000, by 48 bytes"});
  expect_parts(refusal(bhemu_read_dram(device.get(), 7, 0, bytes.data(), 4), BHEMU_BAD_INPUT),
               {"this P100A has 7 banks, 0 to 6"});
  expect_parts(
      refusal(bhemu_read_dram(device.get(), 0, 0xFFFF'FFFF, bytes.data(), 4), BHEMU_BAD_INPUT),
      {"runs over its end by 3"});
}

}  // namespace
}  // namespace bhemu::test
