// TDMA-RISC's command queue and whoever waits for the mover, in timings in which the mover takes
// time (TDMA-RISC.md, XMOV.md).
#include <gtest/gtest.h>

#include "harness.hpp"
#include "tensix/frontend/waits.hpp"
#include "tensix/mover/mover.hpp"

namespace bhemu::tensix {
namespace {

using test::Harness;

constexpr u32 kCompact = 0x80000000u;
constexpr u32 kNop = kCompact | 0x89;
constexpr u32 kWaitForMover = kCompact | 0x46;
constexpr u32 kBusy = 1u << 0, kFull = 1u << 2, kEmpty = 1u << 3, kNoParameters = 1u << 4,
              kAllParameters = 1u << 5;
constexpr Cycle kOneKib = 99;  // timing.def: 11, and 88 a KiB

Timing timing_with(Placement placement) {
  Timing timing = Timing::typical();
  timing.placement = placement;
  return timing;
}

class MoverQueue : public testing::TestWithParam<Placement> {
 protected:
  MoverQueue() {
    for (u32 i = 0; i < 256; ++i) harness.l1.write32(0x5000 + 4 * i, 5, {});
    write(0x2C, 0x500);  // where compact commands count from
  }

  void write(u32 offset, u32 value) {
    ASSERT_FALSE(harness.coprocessor.tdma_write_waits(offset));
    ASSERT_EQ(harness.coprocessor.write_tdma(offset, value, harness.core()), RegisterAccess::Done);
  }
  u32 status() {
    u32 value = 0;
    harness.coprocessor.read_tdma(0x14, value, harness.core());
    return value;
  }
  /// A KiB from L1 to L1.
  void move(u32 destination, u32 source = 0x5000) {
    const u32 parameter[] = {source >> 4, destination >> 4, 64, 3};
    for (u32 i = 0; i < 4; ++i) write(4 * i, parameter[i]);
    write(0x10, 0x40);
  }
  void write_l1(u32 address, u32 value) {
    write(0x00, address);
    write(0x08, value);
    write(0x10, 0x666);
  }
  u32 last_word(u32 address) { return harness.l1.read32(address + 1020); }
  bool waits() { return harness.coprocessor.tdma_write_waits(0x10); }

  const Timing timing = timing_with(GetParam());
  Harness harness{&timing};
};

TEST_P(MoverQueue, takes_four_commands_behind_the_one_under_way_and_the_next_one_waits) {
  EXPECT_EQ(status(), kEmpty | kAllParameters | 4u << 8);
  move(0x6000);  // the mover's
  EXPECT_EQ(status(), kBusy | kEmpty | kAllParameters | 4u << 8);
  move(0x7000);
  write(0x10, kNop);
  EXPECT_EQ(status(), kBusy | 2u << 8);
  move(0x8000);
  EXPECT_EQ(status(), kBusy | kNoParameters | 1u << 8);
  write(0x10, kNop);
  EXPECT_EQ(status(), kBusy | kFull | kNoParameters);
  EXPECT_TRUE(waits());
  EXPECT_FALSE(harness.coprocessor.tdma_write_waits(0x08)) << "parameters have no queue";
  harness.run(kOneKib);
  EXPECT_FALSE(waits());
  EXPECT_EQ(last_word(0x6000), 5u);
  EXPECT_EQ(status(), kBusy | 2u << 8) << "the next move has begun, the command behind it is done";
  harness.run(2 * kOneKib);
  EXPECT_EQ(last_word(0x7000), 5u);
  EXPECT_EQ(last_word(0x8000), 5u);
  EXPECT_EQ(status(), kEmpty | kAllParameters | 4u << 8);
  harness.run(1);
  EXPECT_TRUE(harness.coprocessor.asleep());
  EXPECT_TRUE(harness.faults.faults().empty());
}

TEST_P(MoverQueue, keeps_the_order_of_commands_that_need_the_mover_and_of_others) {
  move(0x6000);
  write_l1(0x4000, 1);
  EXPECT_EQ(harness.l1.read32(0x4000), 1u) << "nothing is in front of it";
  write(0x10, kWaitForMover);
  write_l1(0x4004, 2);
  EXPECT_EQ(harness.l1.read32(0x4004), 0u) << "it stands behind the wait";
  harness.run(kOneKib - 1);
  EXPECT_EQ(harness.l1.read32(0x4004), 0u);
  harness.run(1);
  EXPECT_EQ(harness.l1.read32(0x4004), 2u);
  EXPECT_EQ(last_word(0x6000), 5u);
}

TEST_P(MoverQueue, gives_whoever_waits_for_room_a_wait_that_says_for_what) {
  move(0x6000);
  for (u32 i = 0; i < 4; ++i) write(0x10, kWaitForMover);
  const Wait wait = harness.coprocessor.wait_for_tdma_room();
  EXPECT_EQ(wait.kind, Awaited::TdmaRoom);
  EXPECT_EQ(wait.value, 4u);
  EXPECT_EQ(wait.until, Until::Less);
  EXPECT_EQ(wait.wanted, 4u);
  EXPECT_EQ(wait.since, harness.now + kOneKib);
}

TEST_P(MoverQueue, wakes_who_waits_for_room) {
  move(0x6000);
  for (u32 i = 0; i < 4; ++i) write(0x10, kWaitForMover);
  harness.wakeup.watched = mask_of(Resource::Tdma);
  harness.run(kOneKib - 1);
  EXPECT_TRUE(harness.woken.empty());
  harness.run(1);
  EXPECT_FALSE(harness.woken.empty());
  EXPECT_FALSE(waits());
}

TEST_P(MoverQueue, refuses_parameters_while_both_sets_belong_to_commands_in_it) {
  move(0x6000);
  move(0x7000);
  move(0x8000);
  EXPECT_EQ(harness.coprocessor.write_tdma(0x10, 0x40, harness.core()), RegisterAccess::Refused)
      << "hardware is meant to wait, and does not";
  EXPECT_TRUE(harness.faulted(Rule::TensixUndefined));
}

TEST_P(MoverQueue, takes_the_parameters_that_there_are_when_a_command_is_given) {
  move(0x6000);
  move(0x7000);
  const u32 other[] = {0x123, 0x456, 1, 0};
  for (u32 i = 0; i < 4; ++i) write(4 * i, other[i]);
  harness.run(2 * kOneKib);
  EXPECT_EQ(last_word(0x7000), 5u);
}

TEST_P(MoverQueue, is_lost_in_a_reset_of_tdma_and_the_move_in_one_of_the_mover) {
  move(0x6000);
  move(0x7000);
  harness.run(10);
  harness.coprocessor.set_soft_reset(1u << 8, harness.now);
  harness.coprocessor.set_soft_reset(0, harness.now);
  EXPECT_EQ(status(), kBusy | kEmpty | kAllParameters | 4u << 8);
  harness.run(3 * kOneKib);
  EXPECT_EQ(last_word(0x6000), 5u);
  EXPECT_EQ(last_word(0x7000), 0u);
  move(0x8000);
  move(0x9000);
  harness.run(10);
  harness.coprocessor.set_soft_reset(1u << 6, harness.now);
  harness.run(3 * kOneKib);
  EXPECT_EQ(last_word(0x9000), 0u) << "commands are discarded while the mover is held";
  EXPECT_EQ(last_word(0x8000), GetParam() == Placement::End ? 0u : 5u);
}

TEST_P(MoverQueue, is_part_of_the_hash_and_of_snapshots) {
  move(0x6000);
  const u64 before = harness.coprocessor.hash(1);
  write(0x10, kWaitForMover);
  const u64 hash = harness.coprocessor.hash(1);
  EXPECT_NE(hash, before);
  Archive saving = Archive::saving();
  harness.coprocessor.archive(saving);
  const std::vector<u8> bytes = saving.take();
  Harness other(&timing);
  Archive loading = Archive::loading(bytes);
  other.coprocessor.archive(loading);
  EXPECT_EQ(other.coprocessor.hash(1), hash);
}

TEST_P(MoverQueue, lets_an_xmov_wait_that_says_until_when) {
  move(0x6000);
  const Cycle end = harness.now + kOneKib;
  harness.push(1, encode<op::XMOV>());
  harness.run(5);
  EXPECT_EQ(harness.coprocessor.instructions_executed(1), 0u);
  const Waits waits = harness.coprocessor.waiting(1);
  ASSERT_EQ(waits.all.size(), 1u);
  EXPECT_EQ(waits.all[0].kind, Awaited::UnitFree);
  EXPECT_EQ(waits.all[0].since, end);
  harness.run(kOneKib);
  EXPECT_EQ(harness.coprocessor.instructions_executed(1), 1u);
}

TEST_P(MoverQueue, lets_a_storereg_wait_in_the_scalar_unit) {
  move(0x6000);
  for (u32 i = 0; i < 4; ++i) write(0x10, kWaitForMover);
  harness.gpr(0, 4) = kNop;
  harness.push(0, encode<op::STOREREG>({{"reg_addr", (kTdmaCommandAddress - 0xFFB00000u) >> 2},
                                        {"tdma_data_reg_index", 4}}));
  harness.push(1, encode<op::DMANOP>());
  harness.run(20);
  EXPECT_EQ(harness.coprocessor.instructions_executed(0), 0u);
  EXPECT_EQ(harness.coprocessor.instructions_executed(1), 0u) << "one instruction at a time";
  const Waits waits = harness.coprocessor.waiting(0);
  ASSERT_EQ(waits.all.size(), 1u);
  EXPECT_EQ(waits.all[0].kind, Awaited::TdmaRoom);
  harness.run(kOneKib);
  EXPECT_EQ(harness.registers[kTdmaCommandAddress], kNop);
  EXPECT_EQ(harness.coprocessor.instructions_executed(1), 1u);
}

INSTANTIATE_TEST_SUITE_P(Every, MoverQueue, testing::Values(Placement::Issue, Placement::End),
                         [](const auto& info) {
                           return info.param == Placement::Issue ? "AtIssue" : "AtTheEnd";
                         });

TEST(MoverQueueOfOneCycle, is_always_empty) {
  const Timing single = Timing::single_cycle();
  for (const Timing* timing : {static_cast<const Timing*>(nullptr), &single}) {
    Harness harness(timing);
    harness.l1.write32(0x5000, 5, {});
    harness.coprocessor.write_tdma(0x2C, 0x500, harness.core());
    for (u32 i = 0; i < 8; ++i) {
      const u32 command = kCompact | 0x40u | (0x60u + i) << 16 | 1u << 24 | 1u << 30;
      ASSERT_FALSE(harness.coprocessor.tdma_write_waits(0x10));
      harness.coprocessor.write_tdma(0x10, command, harness.core());
      EXPECT_EQ(harness.l1.read32(0x600 + 16 * i), 5u);
    }
    EXPECT_TRUE(harness.faults.faults().empty());
  }
}

}  // namespace
}  // namespace bhemu::tensix
