#include "host/program/memory.hpp"

#include <gtest/gtest.h>

#include "host/expect_input_error.hpp"

namespace bhemu::host {
namespace {

using test::expect_input_error;

TEST(Memory, shares_cover_everything_once_and_differ_by_one) {
  for (u64 items = 0; items < 50; ++items)
    for (u64 parts = 1; parts < 20; ++parts) {
      u64 next = 0;
      for (u64 i = 0; i < parts; ++i) {
        const Share share = share_of(items, parts, i);
        EXPECT_EQ(share.start, next);
        EXPECT_GE(share.count, items / parts);
        EXPECT_LE(share.count, items / parts + 1);
        next += share.count;
      }
      EXPECT_EQ(next, items);
    }
}

TEST(Memory, allocator_aligns_and_refuses_when_full) {
  Allocator allocator("L1", 100, 1000, 64);
  EXPECT_EQ(allocator.allocate(1, "a"), 128u);
  EXPECT_EQ(allocator.allocate(64, "b"), 192u);
  expect_input_error([&] { allocator.allocate(1000, "c"); }, "c: 1000 bytes do not fit L1");
  expect_input_error([&] { allocator.allocate(~u64{0}, "c"); }, "do not fit");
}

TEST(Memory, interleaved_pages_are_spread_over_banks_with_aligned_stride) {
  Allocator dram("DRAM", kDramStart, 1 << 20, kDramAlignment);
  Allocator l1("L1", 0x37000, kL1Size, kL1Alignment);
  const PageGrid grid{15, 100, 0, 0};
  const Placement first = place(TensorMemory::DramInterleaved, grid, 7, 2, dram, l1, "a");
  const Placement second = place(TensorMemory::DramInterleaved, grid, 7, 2, dram, l1, "b");
  EXPECT_EQ(first.address, 0x40u);
  EXPECT_EQ(first.stride, 128u);
  EXPECT_EQ(second.address, 0x40u + 3 * 128);  // 15 pages over 7 banks: three at most in each
  const Placement split = place(TensorMemory::L1, grid, 7, 2, dram, l1, "c");
  const Placement copied = place(TensorMemory::L1Replicated, grid, 7, 2, dram, l1, "d");
  EXPECT_EQ(split.address, 0x37000u);
  EXPECT_EQ(copied.address, 0x37000u + 8 * 128);
  EXPECT_EQ(l1.used_until(), copied.address + 15 * 128);
}

}  // namespace
}  // namespace bhemu::host
