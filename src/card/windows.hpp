// The configurable TLB windows through which the host reaches the NoC (window.def).
#pragma once

#include <array>
#include <vector>

#include "base/types.hpp"
#include "device/board.hpp"

namespace bhemu::card {

/// One window, decoded.
struct Window {
#define WINDOW_FIELD(name, bit2, bits2, bit4, bits4) u64 name = 0;
#define STRIDED_FIELD(name, bit, bits)
#include "card/window.def"
#undef WINDOW_FIELD
#undef STRIDED_FIELD
};

struct Strided {
#define WINDOW_FIELD(name, bit2, bits2, bit4, bits4)
#define STRIDED_FIELD(name, bit, bits) u32 name = 0;
#include "card/window.def"
#undef WINDOW_FIELD
#undef STRIDED_FIELD
};

class Windows {
 public:
  static constexpr unsigned kSmall = 202;  // 2 MiB each, BAR 0
  static constexpr unsigned kLarge = 8;    // 4 GiB each, BAR 4
  static constexpr unsigned kCount = kSmall + kLarge;
  static constexpr unsigned kStrided = 32;
  static constexpr u64 kSmallBytes = u64{2} << 20;
  static constexpr u64 kLargeBytes = u64{4} << 30;
  static constexpr u32 kRegisterBytes = (kCount * 3 + kStrided) * 4;

  static constexpr u64 bytes_of(unsigned index) {
    return index < kSmall ? kSmallBytes : kLargeBytes;
  }

  /// Registers by offset from BAR 0 + 0x1FC00000; `offset` is a multiple of 4 below kRegisterBytes.
  u32 read(u32 offset) const { return words_[offset / 4]; }
  void write(u32 offset, u32 value);

  const Window& window(unsigned index) const { return windows_[index]; }
  /// All zero beyond the first 32 windows.
  Strided strided(unsigned index) const;

  /// First address behind a window.
  u64 address(unsigned index) const { return window(index).local_offset * bytes_of(index); }
  /// The nodes which a write through a multicast window reaches, each once, in the order of raw
  /// coordinates; harvested tiles and columns that take no broadcasts are left out.
  std::vector<NodeId> targets(unsigned index, const Board& board) const;

  /// Why a window cannot be used as it is set; null when it can.
  const char* objection(unsigned index) const;

 private:
  void decode(unsigned index);

  std::array<u32, kRegisterBytes / 4> words_{};
  std::array<Window, kCount> windows_{};
};

}  // namespace bhemu::card
