// A client of the libttsim ABI, written from the sequence that tt-umd's simulation chip goes
// through (tt-umd device/tt_device/tt_sim_tt_device.cpp): find the
// BARs, set windows, read and write through them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "support/libttsim.hpp"

namespace bhemu::test {

/// What a window points at. For a multicast (x, y) is the end of the rectangle.
struct Aim {
  std::uint64_t address = 0;
  std::uint32_t x = 0;
  std::uint32_t y = 0;
  std::uint32_t start_x = 0;
  std::uint32_t start_y = 0;
  bool multicast = false;
  std::uint32_t noc = 0;
  std::uint32_t ordering = 0;
};

/// libttsim_init must have been called.
class CardClient {
 public:
  static constexpr unsigned kSmall = 202;
  static constexpr unsigned kWindows = 210;
  static constexpr std::uint64_t kRegisters = 0x1FC00000;
  static constexpr std::uint64_t kStrided = kRegisters + kWindows * 12;

  struct Unopened {};
  explicit CardClient(Unopened) {}
  CardClient() : bar0(bar(0x10)), bar2(bar(0x18)), bar4(bar(0x20)) {}

  static std::uint64_t bar(std::uint32_t offset) {
    return (std::uint64_t{libttsim_pci_config_rd32(0, offset + 4)} << 32 |
            libttsim_pci_config_rd32(0, offset)) &
           ~std::uint64_t{15};
  }
  static std::uint64_t window_bytes(unsigned window) {
    return std::uint64_t{1} << (window < kSmall ? 21 : 32);
  }
  std::uint64_t window_base(unsigned window) const {
    return window < kSmall ? bar0 + window * window_bytes(window)
                           : bar4 + (window - kSmall) * window_bytes(window);
  }

  // --- Words on the bus ---
  static void put(std::uint64_t address, std::uint32_t value) {
    libttsim_pci_mem_wr_bytes(address, &value, 4);
  }
  static std::uint32_t get(std::uint64_t address) {
    std::uint32_t value = 0;
    libttsim_pci_mem_rd_bytes(address, &value, 4);
    return value;
  }

  /// The three words of a window's register, by the document's table.
  static std::array<std::uint32_t, 3> window_words(unsigned window, const Aim& to) {
    const bool small = window < kSmall;
    const unsigned first = small ? 43 : 32;  // of x_end
    std::array<std::uint32_t, 3> words{};
    const auto insert = [&words](unsigned at, std::uint64_t value, unsigned bits) {
      for (unsigned i = 0; i < bits; ++i, ++at)
        words[at / 32] |= static_cast<std::uint32_t>(value >> i & 1) << (at % 32);
    };
    insert(0, to.address / window_bytes(window), first);
    insert(first, to.x, 6);
    insert(first + 6, to.y, 6);
    insert(first + 12, to.start_x, 6);
    insert(first + 18, to.start_y, 6);
    insert(first + 24, to.noc, 1);
    insert(first + 26, to.multicast ? 1 : 0, 1);
    insert(first + 27, to.ordering, 2);
    return words;
  }
  void set_window(unsigned window, const std::array<std::uint32_t, 3>& words) {
    libttsim_pci_mem_wr_bytes(bar0 + kRegisters + window * 12, words.data(), 12);
  }
  void aim(unsigned window, const Aim& to) { set_window(window, window_words(window, to)); }

  // --- Any place of any tile, through window 0 ---
  void write(std::uint32_t x, std::uint32_t y, std::uint64_t address,
             std::span<const std::uint8_t> bytes) {
    while (!bytes.empty()) {
      const std::uint64_t within = address % window_bytes(0);
      const std::size_t part = std::min<std::size_t>(bytes.size(), window_bytes(0) - within);
      aim(0, {.address = address, .x = x, .y = y});
      libttsim_pci_mem_wr_bytes(bar0 + within, bytes.data(), static_cast<std::uint32_t>(part));
      bytes = bytes.subspan(part);
      address += part;
    }
  }
  void read(std::uint32_t x, std::uint32_t y, std::uint64_t address,
            std::span<std::uint8_t> bytes) {
    while (!bytes.empty()) {
      const std::uint64_t within = address % window_bytes(0);
      const std::size_t part = std::min<std::size_t>(bytes.size(), window_bytes(0) - within);
      aim(0, {.address = address, .x = x, .y = y});
      libttsim_pci_mem_rd_bytes(bar0 + within, bytes.data(), static_cast<std::uint32_t>(part));
      bytes = bytes.subspan(part);
      address += part;
    }
  }
  void write32(std::uint32_t x, std::uint32_t y, std::uint64_t address, std::uint32_t value) {
    write(x, y, address, {reinterpret_cast<const std::uint8_t*>(&value), 4});
  }
  /// As tt-umd reads: a clock after each.
  std::uint32_t read32(std::uint32_t x, std::uint32_t y, std::uint64_t address) {
    std::uint32_t value = 0;
    read(x, y, address, {reinterpret_cast<std::uint8_t*>(&value), 4});
    libttsim_clock(1);
    return value;
  }
  /// To the Tensix tiles of a rectangle.
  void multicast(std::uint32_t start_x, std::uint32_t start_y, std::uint32_t end_x,
                 std::uint32_t end_y, std::uint64_t address, std::span<const std::uint8_t> bytes) {
    aim(1, {.address = address,
            .x = end_x,
            .y = end_y,
            .start_x = start_x,
            .start_y = start_y,
            .multicast = true});
    libttsim_pci_mem_wr_bytes(window_base(1) + address % window_bytes(1), bytes.data(),
                              static_cast<std::uint32_t>(bytes.size()));
  }

  std::uint64_t bar0 = 0;
  std::uint64_t bar2 = 0;
  std::uint64_t bar4 = 0;
};

}  // namespace bhemu::test
