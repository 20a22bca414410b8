// The programmable interrupt controller of a tile: 32 software and 4 hardware IRQs, for BRISC and
// NCRISC.
//
// jasondavies/tt-isa-documentation BlackholeA0/TensixTile/PIC.md (a fork of Tenstorrent's pages;
// the page is missing upstream). Hardware IRQs 0 (overlay) and 3 (watchdog, ECC) never rise here:
// what raises them is not modelled. "Fair round-robin" is taken as: the next one in index order
// after the one served last.
#pragma once

#include <array>

#include "base/types.hpp"

namespace bhemu::tile {

class Pic {
 public:
  static constexpr unsigned kSoftware = 32;
  static constexpr unsigned kHardware = 4;
  static constexpr unsigned kSources = kSoftware + kHardware;
  static constexpr unsigned kCores = 2;  // BRISC, NCRISC: CoreId 0 and 1
  static constexpr u32 kBytes = 0x138;

  /// Byte offset from 0xFFB13000, aligned. Reading a raised software IRQ clears it.
  u32 read(u32 offset);
  /// Whether reading this register now would change it.
  bool read_has_effect(u32 offset) const;
  /// False: read-only.
  bool write(u32 offset, u32 value);
  void set_hardware(unsigned index, bool raised);
  bool hardware(unsigned index) const { return (hardware_ >> index & 1) != 0; }

  /// An enabled IRQ of `core` is raised.
  bool pending(unsigned core) const;
  /// Some core can be interrupted at all.
  bool armed() const { return (enable_[0] | enable_[1]) != 0; }
  /// Chooses the IRQ that interrupts `core` now, remembers its number, returns its handler's pc.
  u32 serve(unsigned core);
  u64 hash(u64 seed) const;

 private:
  u64 raised() const;

  std::array<u64, kCores> enable_{};  // bit per source
  std::array<u32, kCores> number_{};  // INT_NO
  std::array<u32, kCores> last_served_{};
  std::array<u32, kSoftware> value_{};  // SW_INT: not zero when raised
  std::array<u32, kSources> handler_{};
  u32 hardware_ = 0;
};

}  // namespace bhemu::tile
