// What a host has lately written to words of L1, for reports: whoever signals beside the word that
// a kernel waits for, to another tile (perhaps through a window that still leads there), or sets a
// semaphore back that somebody has raised already, makes a hang that the chip alone cannot explain.
// Noted by whoever hands a host's writes to a device; it costs a few stores for each.
#pragma once

#include <array>
#include <cstring>
#include <optional>
#include <span>
#include <string>

#include "device/device.hpp"
#include "host/report/standstill.hpp"

namespace bhemu::host {

class HostWords {
 public:
  /// A write of a word or less to the memory of a tile. Longer ones are data.
  void wrote(Coord tile, u64 address, std::span<const u8> bytes, Cycle now) {
    if (bytes.empty() || bytes.size() > sizeof(u32)) return;
    next() = {nullptr, tile, address, word_of(bytes), now};
  }
  /// The same of four bytes of plain memory of some tile, of which only that is known.
  void wrote(const u8* memory, const void* value, Cycle now) {
    Write& write = next();
    write.memory = memory;
    std::memcpy(&write.value, value, sizeof write.value);
    write.cycle = now;
  }
  /// A tile was told to go: what was written before belongs to the preparations.
  void started() { since_ = count_; }

  /// Adds what the host has done with the word that is waited for, or with one like it.
  void tell(Standstill& standstill, Device& device) const;

 private:
  struct Write {
    const u8* memory = nullptr;  // null: tile and address are known; else they mean nothing
    Coord tile;
    u64 address = 0;
    u32 value = 0;
    Cycle cycle = 0;
  };
  static constexpr u64 kWrites = 64;  // that are remembered

  static u32 word_of(std::span<const u8> bytes);
  Write& next() { return writes_[count_++ % kWrites]; }
  static std::optional<Write> located(Write write, Device& device);

  std::array<Write, kWrites> writes_{};  // a ring
  u64 count_ = 0;
  u64 since_ = 0;  // of count_, when a tile was told to go last
};

}  // namespace bhemu::host
