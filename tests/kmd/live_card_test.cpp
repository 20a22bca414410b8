// The card that runs by itself: time, threads, faults, resets, direct memory.
#include "kmd/live_card.hpp"

#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include "bench.hpp"
#include "support/assembler.hpp"
#include "support/waiting.hpp"

namespace bhemu::kmd {
namespace {

using test::Assembler;
using enum test::Reg;

constexpr u64 kMega = u64{1} << 20;
constexpr Coord kTile{1, 2};
constexpr u64 kCounter = 0x8000;

/// Counts in L1 for ever.
std::vector<u32> counting() {
  Assembler a;
  a.li(s0, kCounter);
  a.label("again");
  a.addi(s1, s1, 1);
  a.sw(s1, 0, s0);
  a.j("again");
  return a.finish();
}

/// Stores at an address that nothing answers.
std::vector<u32> faulting() {
  Assembler a;
  a.li(s0, 0xF0000000);
  a.sw(s0, 0, s0);
  a.halt();
  return a.finish();
}

/// Adds 1 to every word that the host puts at kCounter, and stores it 64 bytes further on.
std::vector<u32> answering() {
  Assembler a;
  a.li(s0, kCounter);
  a.label("again");
  a.fence();
  a.lw(a0, 0, s0);
  a.beq(a0, s1, "again");
  a.addi(s1, a0, 0);
  a.addi(a1, a0, 1);
  a.sw(a1, 64, s0);
  a.j("again");
  return a.finish();
}

/// Waits for the word at kCounter, or for so many cycles; then writes 1 more than it 64 bytes
/// further on.
std::vector<u32> waiting(u32 cycles) {
  Assembler a;
  test::wait_for_word(a, kCounter, cycles);
  a.addi(a4, a4, 1);
  a.sw(a4, 64, a3);
  a.halt();
  return a.finish();
}

class Live : public Bench {
 protected:
  u32 window_at(Coord tile) {
    const u32 id = allocate();
    EXPECT_EQ(aim(id, tile, 0), 0);
    return id;
  }
  Cycle now() { return LiveCard::Visit(card, false).device().cycle(); }
};

TEST_F(Live, cores_run_without_anybody_asking) {
  const u32 id = window_at(kTile);
  start(kTile, counting());
  u32 last = 0;
  for (int i = 0; i < 5; ++i) {
    u32 next = last;
    ASSERT_TRUE(eventually([&] { return (next = get32(place(id) + kCounter)) != last; }));
    EXPECT_GT(next, last);
    last = next;
  }
}

TEST_F(Live, a_core_that_waits_for_the_wall_clock_waits_as_long_as_on_silicon) {
  using Clock = std::chrono::steady_clock;
  constexpr u32 kMilliseconds = 150;
  const u32 id = window_at(kTile);
  const Clock::time_point began = Clock::now();
  start(kTile, waiting(kMilliseconds * 1'350'000));
  ASSERT_TRUE(eventually([&] { return get32(place(id) + kCounter + 64) == 1; }));
  EXPECT_GE(Clock::now() - began, std::chrono::milliseconds(kMilliseconds - 1));
}

TEST_F(Live, a_core_that_waits_for_the_wall_clock_hears_of_what_the_host_writes) {
  const u32 id = window_at(kTile);
  start(kTile, waiting(4'000'000'000));
  ASSERT_TRUE(eventually([&] { return now() > 2'000'000; }));
  EXPECT_EQ(get32(place(id) + kCounter + 64), 0u);
  EXPECT_TRUE(put32(place(id) + kCounter, 6));
  ASSERT_TRUE(eventually([&] { return get32(place(id) + kCounter + 64) == 7; }));
  EXPECT_LT(now(), 4'000'000'000u);
}

TEST_F(Live, a_parked_core_answers_what_the_host_writes) {
  const u32 id = window_at(kTile);
  start(kTile, answering());
  for (u32 value = 100; value < 300; ++value) {
    ASSERT_TRUE(put32(place(id) + kCounter, value));
    ASSERT_TRUE(eventually([&] { return get32(place(id) + kCounter + 64) == value + 1; }));
  }
}

TEST_F(Live, the_clock_of_a_card_at_rest_goes_on) {
  const Cycle before = now();
  // Nearly a millisecond of the chip's; the heart beats every tenth of a second.
  EXPECT_TRUE(eventually([&] { return now() - before >= 1'000'000; }));
}

TEST_F(Live, hosts_hammer_windows_of_their_own_while_the_device_runs) {
  start(kTile, counting());
  const std::array<Coord, 3> dram{{{17, 14}, {17, 17}, {18, 14}}};
  std::vector<u32> ids;
  for (const Coord bank : dram) ids.push_back(window_at(bank));
  std::atomic<u32> wrong{0};
  std::vector<std::thread> threads;
  for (u32 t = 0; t < dram.size(); ++t) {
    threads.emplace_back([&, t] {
      for (u32 i = 0; i < 200; ++i) {
        // Each thread also moves its window: what it reads must come from where it points now.
        const u64 base = (i % 3) * 2 * kMega;
        if (aim(ids[t], dram[t], base) != 0) ++wrong;
        const u32 value = t << 16 | i;
        put32(place(ids[t]) + 4 * t, value);
        if (get32(place(ids[t]) + 4 * t) != value) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0u);
}

TEST_F(Live, a_host_that_polls_does_not_starve_the_device) {
  const u32 id = window_at(kTile);
  start(kTile, counting());
  std::atomic<bool> stop{false};
  std::thread poller([&] {
    while (!stop) get32(0x1FC00000);
  });
  const u32 first = get32(place(id) + kCounter);
  EXPECT_TRUE(eventually([&] { return get32(place(id) + kCounter) - first >= 1'000'000; }));
  stop = true;
  poller.join();
}

TEST_F(Live, a_card_may_go_while_its_cores_run) {
  for (int i = 0; i < 3; ++i) {
    LiveCard other(settings());
    Driver its(other);
    const auto opened = its.open();
    other.access(true, [&](card::Function& function) {
      const auto program = counting();
      function.device().write(kTile, 0,
                              {reinterpret_cast<const u8*>(program.data()), program.size() * 4});
      function.device().write32(kTile, kSoftReset, kBriscRuns);
    });
  }
}

// --- Direct memory.

TEST_F(Live, l1_and_dram_can_be_read_directly_and_registers_cannot) {
  const u32 id = window_at(kTile);
  ASSERT_TRUE(put32(place(id) + 0x4000, 0xCAFE));
  const auto l1 = driver.direct(0, place(id) + 0x4000, 2 * kMega);
  ASSERT_TRUE(l1);
  EXPECT_FALSE(l1->writable);
  EXPECT_EQ(l1->offset, 0x4000u);
  EXPECT_EQ(l1->bytes, 1536 * 1024 - 0x4000u);
  u32 value = 0;
  ASSERT_EQ(pread(l1->fd, &value, 4, static_cast<off_t>(l1->offset)), 4);
  EXPECT_EQ(value, 0xCAFEu);
  EXPECT_FALSE(driver.direct(0, place(id) + 0x180000, 4096));

  ASSERT_EQ(aim(id, {17, 14}, 4 * kMega), 0);
  const auto dram = driver.direct(0, place(id) + 4096, 8 * kMega);
  ASSERT_TRUE(dram);
  EXPECT_TRUE(dram->writable);
  EXPECT_EQ(dram->offset, 4 * kMega + 4096);
  EXPECT_EQ(dram->bytes, 2 * kMega - 4096);
  value = 0xBEEF;
  ASSERT_EQ(pwrite(dram->fd, &value, 4, static_cast<off_t>(dram->offset)), 4);
  EXPECT_EQ(get32(place(id) + 4096), 0xBEEFu);

  ASSERT_EQ(aim(id, {8, 0}, 0x10000000), 0);
  EXPECT_FALSE(driver.direct(0, place(id), 4096));
  ASSERT_EQ(aim(id, kTile, 0xFFB00000 & ~(2 * kMega - 1)), 0);
  EXPECT_FALSE(driver.direct(0, place(id), 4096));
  ASSERT_EQ(aim(id, {8, 5}, 0), 0);  // nobody
  EXPECT_FALSE(driver.direct(0, place(id), 4096));
  EXPECT_FALSE(driver.direct(0, 0x1FC00000, 4096));
  EXPECT_FALSE(driver.direct(2, 0, 4096));
}

TEST_F(Live, who_listens_hears_of_every_window_that_moves) {
  std::set<unsigned> moved;
  driver.on_window_change([&](unsigned window) { moved.insert(window); });
  const u32 id = allocate();
  const u32 large = allocate(u64{4} << 30);
  EXPECT_TRUE(moved.empty());
  aim(id, kTile, 0);
  EXPECT_EQ(moved, std::set<unsigned>{id});
  aim(large, {17, 14}, 0);
  EXPECT_EQ(moved, (std::set<unsigned>{id, large}));
  moved.clear();
  aim(id, kTile, 4);  // refused
  EXPECT_TRUE(moved.empty());
  // By the registers themselves.
  put32(0x1FC00000 + 12 * 5 + 8, 0);
  EXPECT_EQ(moved, std::set<unsigned>{5});
  moved.clear();
  std::array<u8, 32> three{};
  driver.write(0, 0x1FC00000 + 12 * 7 + 4, three);
  EXPECT_EQ(moved, (std::set<unsigned>{7, 8, 9}));
}

// --- Resets.

class Resets : public Live {
 protected:
  int reset(u32 flags, u32& result, File* on = nullptr) {
    abi::ResetDevice wish{};
    wish.in = {sizeof wish.out, flags};
    const int error = call(abi::RESET_DEVICE, wish, on);
    result = wish.out.result;
    EXPECT_EQ(error != 0 ? 0u : 8u, wish.out.output_size_bytes);
    return error;
  }
};

TEST_F(Resets, an_asic_reset_clears_the_chip_and_ends_other_files) {
  const u32 id = window_at(kTile);
  ASSERT_TRUE(put32(place(id) + 0x4000, 1));
  auto other = driver.open();
  const u32 its = allocate(2 * kMega, other.get());
  bool lost = false;
  std::set<unsigned> moved;
  driver.on_mappings_lost([&] { lost = true; });
  driver.on_window_change([&](unsigned window) { moved.insert(window); });
  u32 result = 7;
  ASSERT_EQ(reset(abi::kAsicReset, result), 0);
  EXPECT_EQ(result, 0u);
  EXPECT_TRUE(lost);
  EXPECT_EQ(moved.size(), 210u);
  // Between reset and post-reset: only questions, and only by the one who did it.
  abi::GetDriverInfo info{};
  abi::AllocateTlb tlb{};
  tlb.in.size = 2 * kMega;
  Region region;
  EXPECT_EQ(call(abi::GET_DRIVER_INFO, info), 0);
  EXPECT_EQ(call(abi::ALLOCATE_TLB, tlb), -ENODEV);
  EXPECT_EQ(call(abi::GET_DRIVER_INFO, info, other.get()), -ENODEV);
  EXPECT_EQ(other->map(0, 4096, region), -ENODEV);
  EXPECT_EQ(file->map(0, 4096, region), 0);
  ASSERT_EQ(reset(abi::kPostReset, result), 0);
  EXPECT_EQ(result, 0u);
  // The window that the other file held is free again, ours is still ours, and points nowhere new.
  EXPECT_EQ(allocate(), its);
  ASSERT_EQ(aim(id, kTile, 0), 0);
  EXPECT_EQ(get32(place(id) + 0x4000), 0u);
  EXPECT_EQ(call(abi::GET_DRIVER_INFO, info, other.get()), -ENODEV);
  EXPECT_EQ(driver.attribute("/sys/class/tenstorrent/tenstorrent!0/tt_aiclk")->text, "800\n");
}

TEST_F(Resets, a_board_reset_goes_through_the_firmware) {
  u32 result = 7;
  ASSERT_EQ(reset(abi::kAsicDmcReset, result), 0);
  EXPECT_EQ(result, 0u);
  ASSERT_EQ(reset(abi::kPostReset, result), 0);
  EXPECT_EQ(result, 0u);
}

TEST_F(Resets, a_user_reset_that_nobody_performs_has_not_happened) {
  u32 result = 7;
  ASSERT_EQ(reset(abi::kUserReset, result), 0);
  EXPECT_EQ(result, 0u);
  ASSERT_EQ(reset(abi::kPostReset, result), 0);
  EXPECT_EQ(result, 1u);  // the marker is still there
}

TEST_F(Resets, a_user_reset_by_configuration_space_is_found_by_post_reset) {
  const u32 id = window_at(kTile);
  ASSERT_TRUE(put32(place(id) + 0x4000, 1));
  u32 result = 7;
  ASSERT_EQ(reset(abi::kUserReset, result), 0);
  const u32 target = 1;
  const u32 control = 0x11;  // enable, force pending
  ASSERT_TRUE(driver.config_write(0x934, {reinterpret_cast<const u8*>(&target), 4}));
  ASSERT_TRUE(driver.config_write(0x930, {reinterpret_cast<const u8*>(&control), 4}));
  ASSERT_EQ(reset(abi::kPostReset, result), 0);
  EXPECT_EQ(result, 0u);
  ASSERT_EQ(aim(id, kTile, 0), 0);
  EXPECT_EQ(get32(place(id) + 0x4000), 0u);
}

TEST_F(Resets, the_legacy_sequence_works_too) {
  u32 result = 7;
  ASSERT_EQ(reset(abi::kConfigWrite, result), 0);
  EXPECT_EQ(result, 0u);
  ASSERT_EQ(reset(abi::kRestoreState, result), 0);
  EXPECT_EQ(result, 0u);
  window_at(kTile);
}

TEST_F(Resets, a_link_reset_takes_the_mappings_and_leaves_the_chip) {
  const u32 id = window_at(kTile);
  ASSERT_TRUE(put32(place(id) + 0x4000, 1));
  Region region;
  ASSERT_EQ(file->map((u64{6} << 36) + place(id), 4096, region), 0);
  bool lost = false;
  driver.on_mappings_lost([&] { lost = true; });
  u32 result = 7;
  ASSERT_EQ(reset(abi::kResetPcieLink, result), 0);
  EXPECT_TRUE(lost);
  EXPECT_EQ(get32(place(id) + 0x4000), 1u);
  abi::FreeTlb back{{id}};
  EXPECT_EQ(call(abi::FREE_TLB, back), 0);
}

TEST_F(Resets, unknown_flags_are_refused) {
  u32 result = 0;
  EXPECT_EQ(reset(7, result), -EINVAL);
  EXPECT_EQ(reset(~0u, result), -EINVAL);
}

TEST_F(Resets, who_waits_for_a_lock_is_told_that_the_card_was_reset) {
  auto other = driver.open();
  abi::LockCtl held{};
  held.in = {4, abi::kLockAcquire, 1, {}};
  ASSERT_EQ(call(abi::LOCK_CTL, held), 0);
  std::atomic<int> answer{1};
  std::thread waiter([&] {
    abi::LockCtl wish{};
    wish.in = {4, abi::kLockAcquireBlocking, 1, {}};
    answer = call(abi::LOCK_CTL, wish, other.get());
  });
  u32 result = 0;
  ASSERT_EQ(reset(abi::kAsicReset, result), 0);
  waiter.join();
  EXPECT_EQ(answer, -ENODEV);
}

// --- Faults.

struct Faulted {
  explicit Faulted(host::FaultMode mode)
      : card(settings(mode)), driver(card), file(driver.open()) {}
  void run_into_the_fault() {
    card.access(true, [&](card::Function& function) {
      const auto program = faulting();
      function.device().write(kTile, 0,
                              {reinterpret_cast<const u8*>(program.data()), program.size() * 4});
      function.device().write32(kTile, kSoftReset, kBriscRuns);
    });
    EXPECT_TRUE(eventually([&] { return !LiveCard::Visit(card, false).answers(); }));
  }
  u32 get32(bool& done) {
    u32 value = 0;
    done = driver.read(0, 0x1FC00000, {reinterpret_cast<u8*>(&value), 4});
    return value;
  }
  LiveCard card;
  Driver driver;
  std::unique_ptr<File> file;
};

TEST(Faults, thrown_ones_make_requests_fail_and_leave_a_report) {
  Faulted faulted(host::FaultMode::Throw);
  EXPECT_EQ(faulted.driver.failure(), "");
  bool done = false;
  faulted.get32(done);
  EXPECT_TRUE(done);
  abi::AllocateTlb tlb{};
  tlb.in.size = 2 * kMega;
  EXPECT_EQ(faulted.file->ioctl(abi::ALLOCATE_TLB, &tlb), 0);
  faulted.run_into_the_fault();
  EXPECT_NE(faulted.driver.failure().find("0xf0000000"), std::string::npos)
      << faulted.driver.failure();
  EXPECT_EQ(faulted.get32(done), ~0u);
  EXPECT_FALSE(done);
  EXPECT_EQ(faulted.file->ioctl(abi::ALLOCATE_TLB, &tlb), -EIO);
  EXPECT_FALSE(faulted.driver.direct(0, 0, 4096));
  abi::GetDriverInfo info{};
  EXPECT_EQ(faulted.file->ioctl(abi::GET_DRIVER_INFO, &info), 0);
  // A reset brings the card back.
  abi::ResetDevice reset{};
  reset.in = {sizeof reset.out, abi::kAsicReset};
  ASSERT_EQ(faulted.file->ioctl(abi::RESET_DEVICE, &reset), 0);
  reset.in.flags = abi::kPostReset;
  ASSERT_EQ(faulted.file->ioctl(abi::RESET_DEVICE, &reset), 0);
  EXPECT_EQ(reset.out.result, 0u);
  EXPECT_EQ(faulted.get32(done), 0u);
  EXPECT_TRUE(done);
  EXPECT_EQ(faulted.file->ioctl(abi::ALLOCATE_TLB, &tlb), 0);
}

TEST(Faults, reported_ones_are_printed_once_and_reads_give_all_ones) {
  testing::internal::CaptureStderr();
  {
    Faulted faulted(host::FaultMode::Report);
    std::atomic<unsigned> moved{0};
    faulted.driver.on_window_change([&](unsigned) { ++moved; });
    faulted.run_into_the_fault();
    bool done = true;
    EXPECT_EQ(faulted.get32(done), ~0u);
    EXPECT_EQ(faulted.get32(done), ~0u);
    EXPECT_FALSE(done);
    // The windows themselves can still be handed out, as by a kernel that knows nothing.
    abi::AllocateTlb tlb{};
    tlb.in.size = 2 * kMega;
    EXPECT_EQ(faulted.file->ioctl(abi::ALLOCATE_TLB, &tlb), 0);
    EXPECT_TRUE(eventually([&] { return moved == 210; }));
  }
  const std::string printed = testing::internal::GetCapturedStderr();
  const size_t first = printed.find("0xf0000000");
  EXPECT_NE(first, std::string::npos) << printed;
  EXPECT_EQ(printed.find("bhemu:", printed.find("bhemu:") + 1), std::string::npos) << printed;
}

TEST(FaultsDeathTest, exit_ends_the_process_with_the_status_of_a_guests_fault) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(
      {
        Faulted faulted(host::FaultMode::Exit);
        faulted.run_into_the_fault();
        std::this_thread::sleep_for(std::chrono::hours(1));
      },
      testing::ExitedWithCode(host::kExitGuest), "0xf0000000");
}

TEST(Faults, a_hosts_mistake_reads_all_ones_and_the_card_goes_on) {
  Faulted faulted(host::FaultMode::Throw);
  abi::AllocateTlb tlb{};
  tlb.in.size = 2 * kMega;
  ASSERT_EQ(faulted.file->ioctl(abi::ALLOCATE_TLB, &tlb), 0);
  abi::ConfigureTlb wish{};
  wish.in.id = tlb.out.id;
  wish.in.config.x_end = 8;
  wish.in.config.y_end = 5;
  ASSERT_EQ(faulted.file->ioctl(abi::CONFIGURE_TLB, &wish), 0);
  u32 value = 0;
  EXPECT_FALSE(faulted.driver.read(0, tlb.out.id * 2 * kMega, {reinterpret_cast<u8*>(&value), 4}));
  EXPECT_EQ(value, ~0u);
  EXPECT_NE(faulted.driver.failure().find("no tile answers"), std::string::npos);
  bool done = false;
  faulted.get32(done);
  EXPECT_TRUE(done);
}

}  // namespace
}  // namespace bhemu::kmd
