// The PCI Express controller of the PCIe tile: the registers behind BAR 2, of which the outbound
// iATU and read channel 0 of the DMA engine do something.
//
// jasondavies/tt-isa-documentation BlackholeA0/PCIExpressTile/README.md (components, address
// spaces); tt-kmd blackhole.c (blackhole_configure_outbound_atu).
#pragma once

#include <array>
#include <string>

#include "base/types.hpp"

namespace bhemu::pcie {

/// Offsets of the registers, by name; of region 0 for those of the iATU.
enum ControllerRegister : u32 {
#define PCIE_REGISTER(name, offset, stride, count, reset, writable, meaning) name = offset,
#include "pcie/controller.def"
#undef PCIE_REGISTER
};

class Controller {
 public:
  static constexpr u32 kBytes = 0x3000;
  static constexpr u32 kRegions = 16;
  static constexpr u32 kRegionStride = 0x200;

  Controller() { reset(); }
  void reset();

  /// False: no register there (or not a whole, aligned word of one).
  bool read(u32 offset, u32& value) const;
  bool write(u32 offset, u32 value);
  u32 word(u32 offset) const { return words_[offset / 4]; }
  void set_word(u32 offset, u32 value) { words_[offset / 4] = value; }

  /// Where `bytes` at `address` leave for, by the first enabled region that holds them whole;
  /// unchanged outside all regions. False: they straddle the edge of a region.
  bool outbound(u64 address, u32 bytes, u64& target) const;

  /// Why it is doubtful where `bytes` at `address` leave for: two enabled regions hold the address,
  /// or none does and one ends before it begins. Empty: nothing. Clients change regions that are
  /// enabled (tt-umd enables them first), so what counts is what an access finds.
  std::string doubt(u64 address, u32 bytes) const;

  u64 hash(u64 seed) const;

 private:
  struct Range {
    u64 base;
    u64 limit;  // the last address
  };
  bool enabled(u32 region) const;
  Range range(u32 region) const;

  std::array<u32, kBytes / 4> words_{};
};

}  // namespace bhemu::pcie
