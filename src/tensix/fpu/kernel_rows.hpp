// Which rows of Dst a kernel works on.
#pragma once

#include <cstring>

#include "tensix/dst/dst_access.hpp"
#include "tensix/fpu/kernels.hpp"

namespace bhemu::tensix {

constexpr DstRow dst_row_of(u16 value) {
  DstRow row;
  row.datum.fill(value);
  return row;
}

/// DstRowValid of eight rows that are valid, as one number.
inline constexpr u64 kEightRowsValid = 0x0101010101010101;
static_assert(sizeof kEightRowsValid == kMaxKernelRows);

/// Rows first, first + step, ... of one view of Dst.
class KernelRows {
 public:
  KernelRows(State& state, bool wide, u32 first, u32 count, u32 step = 1)
      : dst_(state.fpu.dst),
        mapping_(DstAccess::mapping_of(state)),
        wide_(wide),
        first_(first),
        count_(count),
        step_(step) {}

  /// `read`: false if what is there does not matter. `identity`: what stands in all halves of an
  /// invalid row, 0 or FFFF.
  void describe(DstRows& rows, bool read = true, u16 identity = 0) const {
    static constexpr DstRow kZeros{};
    static constexpr DstRow kOnes = dst_row_of(0xFFFF);
    const DstRow& absent = identity != 0 ? kOnes : kZeros;
    const u32 base = physical(0);
    const bool together = neighbours();
    rows.count = count_;
    if (together && read && count_ == kMaxKernelRows && all_valid(base)) {  // the usual case
      u16* const high = dst_.row[base].datum.data();
      u16* const low = dst_.row[(base + 8) % kDstRows].datum.data();
      for (u32 i = 0; i < kMaxKernelRows; ++i) {
        rows.old_high[i] = rows.high[i] = high + i * kRowDatums;
        rows.old_low[i] = rows.low[i] = low + i * kRowDatums;
      }
      return;
    }
    for (u32 i = 0; i < count_; ++i) {
      const u32 p = together ? base + i : physical(i);
      DstRow& high = dst_.row[p];
      DstRow& low = dst_.row[(p + 8) % kDstRows];
      const bool present = read && dst_.valid[p] != 0;
      rows.old_high[i] = (present ? high : absent).datum.data();
      rows.old_low[i] = (present ? low : absent).datum.data();
      rows.high[i] = high.datum.data();
      rows.low[i] = low.datum.data();
    }
  }

  /// To be called when the rows have been written. `keeps_low`: 16-bit rows that are high halves
  /// of 32-bit ones leave low halves that are valid as they are.
  void written(bool keeps_low = false) const {
    const bool clears = !wide_ && mapping_.high_halves;
    if (neighbours() && !clears) {
      u8* const valid = &dst_.valid[physical(0)];
      if (count_ == kMaxKernelRows)
        std::memcpy(valid, &kEightRowsValid, sizeof kEightRowsValid);  // one store
      else
        std::memset(valid, 1, count_);
      return;
    }
    for (u32 i = 0; i < count_; ++i) {
      const u32 p = physical(i);
      // As DstAccess::write_row16.
      if (clears && !(keeps_low && dst_.valid[p] != 0)) dst_.row[p + 8] = DstRow{};
      dst_.valid[p] = 1;
    }
  }

 private:
  bool all_valid(u32 base) const {
    u64 valid;
    std::memcpy(&valid, &dst_.valid[base], sizeof valid);
    return valid == kEightRowsValid;
  }
  /// The rows lie one after the other: only swizzling moves rows within an aligned group of eight.
  bool neighbours() const { return step_ == 1 && !mapping_.swizzle && (first_ & 7) + count_ <= 8; }
  u32 physical(u32 i) const {
    const u32 row = first_ + i * step_;
    return mapping_.place(row, wide_);
  }

  Dst& dst_;
  DstMapping mapping_;
  bool wide_;
  u32 first_;
  u32 count_;
  u32 step_;
};

}  // namespace bhemu::tensix
