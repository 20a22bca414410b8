// Addresses for circular buffers and tensors, and tensors' way into and out of the chip's memory.
//
// Documents: specs dram.md section 2 (interleaving); facts of blackhole-py's allocator.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "host/program/program.hpp"
#include "host/program/tensor.hpp"
#include "host/spot.hpp"

namespace bhemu::host {

inline constexpr u32 kDramAlignment = 64;
inline constexpr u32 kL1Alignment = 64;
/// The first 64 bytes of every bank belong to the barrier of tt-metal's and blackhole-py's hosts.
inline constexpr u32 kDramStart = 0x40;

/// Hands out rising addresses; nothing is ever given back.
class Allocator {
 public:
  Allocator(const char* what, u64 start, u64 end, u32 alignment)
      : what_(what), next_(start), end_(end), alignment_(alignment) {}
  /// Throws InputError (without a file) when the memory is used up.
  u64 allocate(u64 bytes, const std::string& purpose);
  u64 used_until() const { return next_; }

 private:
  const char* what_;
  u64 next_;
  u64 end_;
  u32 alignment_;
};

/// Part `index` of `items` split over `parts` in order: sizes differ by one at most, larger first.
struct Share {
  u64 start = 0;
  u64 count = 0;
};
Share share_of(u64 items, u64 parts, u64 index);

/// Where a tensor lies. Page i of an interleaved tensor: bank i % banks, address + i / banks *
/// stride. In L1: one page after the other from `address`, in each tile its share or all.
struct Placement {
  TensorMemory memory = TensorMemory::DramInterleaved;
  PageGrid grid;
  u32 address = 0;
  u32 stride = 0;  // bytes from page to page
};
Placement place(TensorMemory memory, const PageGrid& grid, unsigned banks, size_t tiles,
                Allocator& dram, Allocator& l1, const std::string& name);

void write_pages(Device& device, const Placement& placement, std::span<const Coord> tiles,
                 std::span<const u8> pages);
/// For L1Replicated: the first tile's copy.
std::vector<u8> read_pages(Device& device, const Placement& placement,
                           std::span<const Coord> tiles);

/// Where a byte of the pages lies; for L1Replicated: in the first tile's copy.
Spot spot_of(const Board& board, const Placement& placement, std::span<const Coord> tiles,
             u64 offset);

}  // namespace bhemu::host
