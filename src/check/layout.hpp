// What a launch has laid down in a tile, for the checks of --check. Addresses in L1.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace bhemu::check {

struct Range {
  u32 begin = 0;
  u32 end = 0;
  bool has(u32 address) const { return address >= begin && address < end; }
  bool overlaps(u64 address, u64 bytes) const { return address < end && begin < address + bytes; }
};

struct NamedRange {
  Range range;
  std::string name;  // "circular buffer 0", "tensor input"
};

/// A circular buffer.
struct Buffer {
  Range range;
  u32 index = 0;
  u32 pages = 0;
  u32 page_size = 0;
  std::optional<u8> format = {};  // as hardware numbers them, of data in L1; where it is known
};

struct Layout {
  static constexpr u32 kNever = ~0u;
  u32 kernel_base = kNever;  // kernels, their arguments and buffers' descriptions begin here
  /// The client's software has launched it: its kernels may write launches of other tiles.
  bool by_client = false;
  Range mailboxes;                      // messages of host and firmware
  Range firmware;                       // its code
  std::array<Range, kCores> text;       // of the kernels
  std::array<Range, kCores> arguments;  // that were given
  std::array<Range, kCores> common_arguments;
  Range settings;                         // arguments, semaphores, buffers' descriptions
  Range semaphores;                       // of these, what kernels may write
  std::array<u32, kCores> stack_limit{};  // offset in local memory: variables lie below
  std::vector<Buffer> buffers;
  std::vector<NamedRange> named;  // buffers and tensors
};

}  // namespace bhemu::check
