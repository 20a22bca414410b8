// What tells one kind of tile with cores from the other: a Tensix tile has five cores and a
// coprocessor, an Ethernet tile two cores and a port. Schedule, parking, debugger and traces are
// the same; they look here for what exists.
#pragma once

#include "base/types.hpp"
#include "noc/packet.hpp"
#include "tile/regions.hpp"

namespace bhemu::tile {

struct Shape {
  noc::NodeKind kind;
  /// The cores that exist have the indices from 0 on; the others stay in reset for ever.
  unsigned cores;
  std::array<CoreId, kCores> core;
  std::array<u8, kCores> reset_bit;  // in RISCV_DEBUG_REG_SOFT_RESET_0 (SoftReset.md)
  std::array<u8, 4> debugged;        // by RISC_DBG_CNTL_0.Which: which core, kNobody for none
  u32 l1_bytes;
  u32 streams;  // overlay register files
  const RegionMap* regions;

  static constexpr u8 kNobody = 0xFF;
  bool is_tensix() const { return kind == noc::NodeKind::Tensix; }
  /// RISC_DBG_CNTL_0 can select this core.
  bool has_debug_interface(unsigned index) const {
    for (const u8 selected : debugged)
      if (selected == index) return true;
    return false;
  }
};

const Shape& tensix_shape();
const Shape& ethernet_shape();

}  // namespace bhemu::tile
