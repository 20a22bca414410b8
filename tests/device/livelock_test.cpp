// When the device is judged to hang although cores run, and when not.
#include "device/livelock.hpp"

#include <gtest/gtest.h>

#include "device/device.hpp"
#include "support/assembler.hpp"
#include "tile/tile.hpp"

namespace bhemu {
namespace {

using test::Assembler;
using enum test::Reg;

constexpr Coord kPoller{1, 2};
constexpr u32 kResult = 0x10000;
constexpr u32 kTarget = 0x9000;
constexpr u32 kMcycle = 0xB0002573;  // csrr a0, mcycle

/// Reads the word at kTarget of another tile over the NoC, again and again, until it is not zero.
/// With `timeout`, also until mcycle has reached it.
std::vector<u32> poller(u32 remote, u32 timeout) {
  Assembler a;
  a.li(s0, 0xFFB20000);
  const auto set = [&](i32 offset, u32 value) {
    a.li(t0, value);
    a.sw(t0, offset, s0);
  };
  set(0x00, kTarget);
  set(0x04, 0);
  set(0x08, remote);
  set(0x0C, kTarget);
  set(0x10, 0);
  set(0x14, kPoller.x | u32{kPoller.y} << 6);
  set(0x1C, 0x2090);
  set(0x20, 4);
  a.li(s1, kTarget);
  a.li(s3, timeout);
  a.label("again");
  set(0x40, 1);
  a.addi(s2, s2, 1);
  a.label("answer");
  a.lw(a1, 0x208, s0);
  a.bne(a1, s2, "answer");
  a.fence();
  a.lw(a1, 0, s1);
  a.bne(a1, zero, "end");
  if (timeout == 0) a.j("again");
  a.word(kMcycle);
  a.blt(a0, s3, "again");
  a.label("end");
  a.ori_nonzero(a1);
  a.li(t0, kResult);
  a.sw(a1, 0, t0);
  a.halt();
  return a.finish();
}

void start(Device& device, Coord remote, u32 timeout) {
  const auto words = poller(remote.x | u32{remote.y} << 6, timeout);
  device.write(kPoller, 0, {reinterpret_cast<const u8*>(words.data()), words.size() * 4});
  device.write32(kPoller, 0xFFB121B0, 0x47000);
}

bool finished(Device& device) {
  u32 value = 0;
  device.read32(kPoller, kResult, value);
  return value != 0;
}

TEST(Livelock, is_a_core_that_polls_another_tile_for_ever) {
  Device device{DeviceOptions{}};
  start(device, {2, 2}, 0);
  const RunResult result = device.run(LivelockCheck::kWindow * 6, [&] { return finished(device); });
  EXPECT_EQ(result.status, RunStatus::Spinning);
}

TEST(Livelock, names_the_word_that_is_polled_whether_the_core_sleeps_until_its_answer_or_not) {
  for (const bool sleeps : {true, false}) {
    DeviceOptions options;
    options.parking = sleeps;
    Device device{options};
    start(device, {2, 2}, 0);
    ASSERT_EQ(device.run(LivelockCheck::kWindow * 6).status, RunStatus::Spinning);
    const tile::CoreStatus status = device.tile(kPoller).status(CoreId::Brisc);
    EXPECT_EQ(status, sleeps ? tile::CoreStatus::Parked : tile::CoreStatus::Running);
    const std::vector<Waiter> waiters = device.waiters();
    ASSERT_EQ(waiters.size(), 1u);
    const Wait& wait = waiters[0].waits.all.at(0);
    EXPECT_EQ(wait.kind, Awaited::Remote);
    EXPECT_EQ(device.coord_of(wait.node), (Coord{2, 2}));
    EXPECT_EQ(wait.address, kTarget);
  }
}

TEST(Livelock, is_no_core_that_polls_another_tile_until_mcycle_says_that_time_is_up) {
  Device device{DeviceOptions{}};
  start(device, {2, 2}, LivelockCheck::kWindow * 4);
  const RunResult result = device.run(LivelockCheck::kWindow * 6, [&] { return finished(device); });
  EXPECT_EQ(result.status, RunStatus::Done);
}

TEST(Livelock, is_judged_anew_when_the_host_has_written_to_dram) {
  Device device{DeviceOptions{}};
  start(device, {2, 2}, 0);
  ASSERT_EQ(device.run(LivelockCheck::kWindow * 2).status, RunStatus::Cycles);
  const Cycle written = device.cycle();
  const u32 word = 1;
  EXPECT_TRUE(device.write_dram(0, 0, {reinterpret_cast<const u8*>(&word), 4}));
  const RunResult result = device.run(LivelockCheck::kWindow * 6);
  EXPECT_EQ(result.status, RunStatus::Spinning);
  EXPECT_GE(result.cycle - written, LivelockCheck::kWindow * LivelockCheck::kWindows);
}

TEST(Totals, do_not_fall_when_a_tile_goes_into_reset) {
  Device device{DeviceOptions{}};
  start(device, {2, 2}, 1000);
  ASSERT_EQ(device.run(100'000, [&] { return finished(device); }).status, RunStatus::Done);
  const Totals before = device.totals();
  EXPECT_GT(before.riscv_instructions, 0u);
  EXPECT_GT(before.noc_bytes + before.noc_packets, 0u);
  device.write32(kPoller, 0xFFB121B0, 0x47800);
  EXPECT_EQ(device.totals().riscv_instructions, before.riscv_instructions);
  EXPECT_EQ(device.totals().noc_bytes, before.noc_bytes);
}

}  // namespace
}  // namespace bhemu
