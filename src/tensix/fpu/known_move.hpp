// What MOVA2D follows from beside counters and its own bits. No state.
#pragma once

#include "base/types.hpp"
#include "tensix/dst/dst_access.hpp"

namespace bhemu::tensix::fpu {

/// How cells of one move become Dst words.
struct ToDst {
  bool wide = false;  // 19 bits of the cell to a 32-bit row
  bool five_bit = false;
  bool low_half = false;
  bool flush = false;  // cells of exponent 0 become 0
  u32 blocked = 0;

  bool writes_32_bits() const { return wide || low_half; }
};

/// Good while DataPaths trusts it, for the same thread and the same implied format.
struct KnownMove {
  u32 seen = 0;
  u8 thread = 0;
  u8 format = 0;  // that the bank implies
  ToDst how;      // without `low_half`
  DstMapping mapping;
  u32 dst_offset = 0;  // without the counter
};

}  // namespace bhemu::tensix::fpu
