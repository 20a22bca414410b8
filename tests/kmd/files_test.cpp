// Requests about files rather than memory: locks, what happens at closing, power, who may open.
#include <fcntl.h>

#include <thread>

#include "bench.hpp"

namespace bhemu::kmd {
namespace {

constexpr u64 kMega = u64{1} << 20;
constexpr u64 kNocHost = u64{4} << 58;
constexpr Coord kTile{1, 2};

class Files : public Bench {};

// --- Locks.

TEST_F(Files, locks_are_held_by_files) {
  const auto other = driver.open();
  const auto lock = [&](u32 flags, File* on, u8 index = 5) {
    abi::LockCtl wish{};
    wish.in = {4, flags, index, {}};
    const int result = call(abi::LOCK_CTL, wish, on);
    return result != 0 ? result : wish.out.value;
  };
  File* self = file.get();
  EXPECT_EQ(lock(abi::kLockTest, self), 0);
  EXPECT_EQ(lock(abi::kLockAcquire, self), 1);
  EXPECT_EQ(lock(abi::kLockAcquire, self), 0);
  EXPECT_EQ(lock(abi::kLockAcquire, other.get()), 0);
  EXPECT_EQ(lock(abi::kLockTest, self), 3);
  EXPECT_EQ(lock(abi::kLockTest, other.get()), 2);
  EXPECT_EQ(lock(abi::kLockRelease, other.get()), 0);
  EXPECT_EQ(lock(abi::kLockRelease, self), 1);
  EXPECT_EQ(lock(abi::kLockAcquire, other.get(), 63), 1);
  EXPECT_EQ(lock(abi::kLockAcquire, self, 64), -EINVAL);
  EXPECT_EQ(lock(4, self), -EINVAL);
}

TEST_F(Files, who_waits_for_a_lock_gets_it_when_the_holder_is_closed) {
  auto holder = driver.open();
  abi::LockCtl wish{};
  wish.in = {4, abi::kLockAcquire, 0, {}};
  ASSERT_EQ(call(abi::LOCK_CTL, wish, holder.get()), 0);
  abi::LockCtl waiting{};
  waiting.in = {4, abi::kLockAcquireBlocking, 0, {}};
  int result = -1;
  std::thread waiter([&] { result = call(abi::LOCK_CTL, waiting); });
  holder.reset();
  waiter.join();
  EXPECT_EQ(result, 0);
  EXPECT_EQ(waiting.out.value, 1);
}

// --- Cleanup and power.

TEST_F(Files, the_cleanup_word_is_written_when_the_file_is_closed) {
  const u32 id = allocate();
  ASSERT_EQ(aim(id, kTile, 0), 0);
  auto other = driver.open();
  abi::SetNocCleanup wish{sizeof wish, 0, 1, 1, 2, 0, 0, 0x4000, 0xDEADBEEF'12345678};
  ASSERT_EQ(call(abi::SET_NOC_CLEANUP, wish, other.get()), 0);
  EXPECT_EQ(get32(place(id) + 0x4000), 0u);
  other.reset();
  EXPECT_EQ(get32(place(id) + 0x4000), 0x12345678u);
  // Taken back in time: nothing happens.
  other = driver.open();
  wish.data = 1;
  ASSERT_EQ(call(abi::SET_NOC_CLEANUP, wish, other.get()), 0);
  wish.enabled = 0;
  ASSERT_EQ(call(abi::SET_NOC_CLEANUP, wish, other.get()), 0);
  other.reset();
  EXPECT_EQ(get32(place(id) + 0x4000), 0x12345678u);
}

TEST_F(Files, a_wrong_cleanup_is_refused) {
  const abi::SetNocCleanup good{sizeof good, 0, 1, 1, 2, 1, 0, 0x4000, 1};
  abi::SetNocCleanup wish = good;
  const auto refuses = [&] {
    const int result = call(abi::SET_NOC_CLEANUP, wish);
    wish = good;
    return result;
  };
  wish.argsz = 31;
  EXPECT_EQ(refuses(), -EINVAL);
  wish.flags = 1;
  EXPECT_EQ(refuses(), -EINVAL);
  wish.enabled = 2;
  EXPECT_EQ(refuses(), -EINVAL);
  wish.addr = 0x4002;
  EXPECT_EQ(refuses(), -EINVAL);
  wish.noc = 2;
  EXPECT_EQ(refuses(), -EINVAL);
  wish.x = 65;
  EXPECT_EQ(refuses(), -EINVAL);
  wish.y = 65;
  EXPECT_EQ(refuses(), -EINVAL);
  wish.enabled = 0;
  EXPECT_EQ(refuses(), 0);
}

class Power : public Bench {
 protected:
  std::string clock() {
    return driver.attribute("/sys/class/tenstorrent/tenstorrent!0/tt_aiclk")->text;
  }
  int want(File* on, u16 flags, u8 validity = abi::kPowerFlags) {
    abi::SetPowerState wish{};
    wish.argsz = sizeof wish;
    wish.validity = validity;
    wish.power_flags = flags;
    return call(abi::SET_POWER_STATE, wish, on);
  }
};

TEST_F(Power, the_clock_is_high_while_any_file_wants_it) {
  EXPECT_EQ(clock(), "800\n");
  auto other = driver.open();
  ASSERT_EQ(want(file.get(), abi::kPowerMaxAiClk), 0);
  EXPECT_EQ(clock(), "1350\n");
  ASSERT_EQ(want(other.get(), 0), 0);
  EXPECT_EQ(clock(), "1350\n");
  ASSERT_EQ(want(other.get(), abi::kPowerMaxAiClk), 0);
  ASSERT_EQ(want(file.get(), 0), 0);
  EXPECT_EQ(clock(), "1350\n");
  other.reset();
  EXPECT_EQ(clock(), "800\n");
}

TEST_F(Power, a_flag_that_a_client_does_not_know_is_on) {
  ASSERT_EQ(want(file.get(), 0, 0), 0);
  EXPECT_EQ(clock(), "1350\n");
}

TEST_F(Power, a_client_without_o_append_leaves_the_clock_low_and_the_rest_on) {
  auto legacy = driver.open(O_RDWR);
  ASSERT_NE(legacy, nullptr);
  EXPECT_EQ(clock(), "800\n");
}

TEST_F(Power, wrong_requests_are_refused) {
  abi::SetPowerState wish{};
  wish.argsz = 39;
  EXPECT_EQ(call(abi::SET_POWER_STATE, wish), -EINVAL);
  wish.argsz = sizeof wish;
  wish.flags = 1;
  EXPECT_EQ(call(abi::SET_POWER_STATE, wish), -EINVAL);
  wish.flags = 0;
  wish.reserved0 = 1;
  EXPECT_EQ(call(abi::SET_POWER_STATE, wish), -EINVAL);
  wish.reserved0 = 0;
  wish.validity = 0xF0;
  EXPECT_EQ(call(abi::SET_POWER_STATE, wish), -EINVAL);
  wish.validity = 0xEF;
  EXPECT_EQ(call(abi::SET_POWER_STATE, wish), 0);
}

// --- Opening.

TEST_F(Files, exclusive_opening_waits_for_all_others) {
  int error = 0;
  EXPECT_EQ(driver.open(O_RDWR | O_EXCL | O_NONBLOCK, &error), nullptr);
  EXPECT_EQ(error, -EAGAIN);
  std::unique_ptr<File> alone;
  std::thread waiter([&] { alone = driver.open(O_RDWR | O_APPEND | O_EXCL); });
  file.reset();
  waiter.join();
  ASSERT_NE(alone, nullptr);
  EXPECT_EQ(driver.open(O_RDWR | O_NONBLOCK, &error), nullptr);
  EXPECT_EQ(error, -EAGAIN);
  alone.reset();
  file = driver.open(O_RDWR | O_APPEND, &error);
  EXPECT_NE(file, nullptr);
  EXPECT_EQ(error, 0);
}

TEST_F(Files, closing_gives_everything_back) {
  auto other = driver.open();
  const u32 id = allocate(2 * kMega, other.get());
  abi::PinPages pin = pin_wish(pages(kMega), abi::kPinNocDma);
  ASSERT_EQ(call(abi::PIN_PAGES, pin, other.get()), 0);
  EXPECT_EQ(pin.out.noc_address, kNocHost);
  other.reset();
  EXPECT_EQ(allocate(), id);
  ASSERT_EQ(call(abi::PIN_PAGES, pin), 0);
  EXPECT_EQ(pin.out.noc_address, kNocHost);
}

}  // namespace
}  // namespace bhemu::kmd
