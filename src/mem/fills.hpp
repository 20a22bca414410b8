// What long fills of a region of memory have done: which pages exist, and which stretches were
// filled so long ago that no cache of the host has them any more.
#pragma once

#include <bit>
#include <vector>

#include "base/bits.hpp"
#include "base/types.hpp"

namespace bhemu {

class Fills {
 public:
  /// The unit of what is remembered. From here on a call to the kernel is cheaper than a page fault
  /// for every 4 KiB; that call is not free for pages that exist.
  static constexpr u64 kGranule = 64 * 1024;
  /// No stretch that is asked for reaches over a multiple of this.
  static constexpr u64 kBlock = 32 * kGranule;

  Fills() = default;
  /// Of a region of `bytes`, on a host whose caches hold `cache_bytes`.
  Fills(u64 bytes, u64 cache_bytes)
      : blocks_(align_up(bytes, kBlock) / kBlock), far_(static_cast<u32>(cache_bytes / kGranule)) {}

  bool empty() const { return blocks_.empty(); }
  bool has_pages(u64 offset, u64 bytes) const {
    return (granules(offset, bytes) & ~blocks_[offset / kBlock].has_pages) == 0;
  }
  /// All that lie in [offset, offset + bytes) as a whole.
  void made_pages(u64 offset, u64 bytes) {
    const u64 end = (offset + bytes) / kGranule * kGranule;
    const u64 first = align_up(offset, kGranule);
    if (first < end) blocks_[offset / kBlock].has_pages |= granules(first, end - first);
  }

  /// The stretch is about to be filled. True: since it last was, more was filled than caches hold.
  bool begin(u64 offset, u64 bytes) {
    Block& block = blocks_[offset / kBlock];
    // A granule that two stretches share is the first one's.
    const u64 first = align_up(offset, kGranule);
    const u32 begun = first < offset + bytes ? granules(first, offset + bytes - first) : 0;
    const bool far = filled_ - block.last > far_;
    if (far || (block.filled & begun) != 0) {
      block.cold = far;
      block.filled = 0;
    }
    block.filled |= begun;
    block.last = filled_;
    filled_ += static_cast<u32>(std::popcount(begun));
    return block.cold;
  }

 private:
  struct Block {
    u32 has_pages = 0;  // a bit each for its granules
    u32 filled = 0;     // likewise, since it was known whether the block is cold
    u32 last = 0;       // filled_, when something of the block was
    bool cold = false;
  };

  /// Those in which there is a byte of the stretch.
  static u32 granules(u64 offset, u64 bytes) {
    const u64 first = offset % kBlock / kGranule;
    const u64 last = (offset % kBlock + bytes - 1) / kGranule;
    return ~u32{0} << first & ~u32{0} >> (31 - last);
  }

  std::vector<Block> blocks_;
  u32 filled_ = 0;  // granules, of the whole region
  u32 far_ = 0;
};

}  // namespace bhemu
