// Where a row of Dst lies, in its 16-bit and its 32-bit view, and how rows are read and written.
//
// Documents: tt-isa-documentation BlackholeA0 Dst.md (Adj16, Adj32, row-valid bits,
// DBG_FEATURE_DISABLE bit 11). FPU, SFPU, unpacker and the RISC-V window all go through here.
#pragma once

#include "base/bits.hpp"
#include "numeric/format_layout.hpp"
#include "tensix/fpu/state.hpp"
#include "tensix/state.hpp"

namespace bhemu::tensix {

using DstRow32 = std::array<u32, kRowDatums>;

/// The configuration bits that place rows. They are global words, the same in both banks.
struct DstMapping {
  bool remap = false;        // DEST_ACCESS_CFG_remap_addrs
  bool swizzle = false;      // DEST_ACCESS_CFG_swizzle_32b
  bool high_halves = false;  // DBG_FEATURE_DISABLE bit 11: Dst16b is the high half of Dst32b

  bool operator==(const DstMapping&) const = default;

  constexpr u32 adj16(u32 row) const {
    row &= 0x3FF;
    // Bits 5,4,3 become old bits 3,5,4.
    if (remap) row = (row & 0x3C7) | (row & 0x030) >> 1 | (row & 0x008) << 2;
    return row;
  }
  constexpr u32 adj32(u32 row) const {
    row = adj16(row);
    if (swizzle) row = (row & 0x3F3) ^ (row & 0x018) >> 1 ^ (row & 0x004) << 1;
    return (row & 0x1F8) << 1 | (row & 0x207);
  }
  /// Physical row of a row of the 16-bit view.
  constexpr u32 row16(u32 row) const { return high_halves ? adj32(row) : adj16(row); }
  /// Of either view.
  constexpr u32 place(u32 row, bool wide) const { return wide ? adj32(row) : row16(row); }
};

/// Datums are in storage order (numeric/format_layout.hpp converts). Row numbers wrap at 1024.
class DstAccess {
 public:
  DstAccess(Dst& dst, DstMapping mapping) : dst_(dst), mapping_(mapping) {}
  explicit DstAccess(State& state) : DstAccess(state.fpu.dst, mapping_of(state)) {}

  static DstMapping mapping_of(const State& state) {
    const ConfigWords& words = state.cfg.bank[0];
    return {cfg::DEST_ACCESS_CFG_remap_addrs::get(words) != 0,
            cfg::DEST_ACCESS_CFG_swizzle_32b::get(words) != 0,
            bit(state.cfg.debug_feature_disable, 11)};
  }

  const DstMapping& mapping() const { return mapping_; }
  u32 physical16(u32 row) const { return mapping_.row16(row); }
  u32 physical32(u32 row) const { return mapping_.adj32(row); }
  bool valid16(u32 row) const { return dst_.valid[physical16(row)] != 0; }
  bool valid32(u32 row) const { return dst_.valid[physical32(row)] != 0; }
  void set_valid16(u32 row, bool valid) { dst_.valid[physical16(row)] = valid; }
  void set_valid32(u32 row, bool valid) { dst_.valid[physical32(row)] = valid; }

  // --- One datum, whatever its row's valid bit says. A write makes the row valid.
  u16 read16(u32 row, u32 column) const { return dst_.row[physical16(row)].datum[column]; }
  u32 read32(u32 row, u32 column) const {
    const u32 p = physical32(row);
    return u32{dst_.row[p].datum[column]} << 16 | dst_.row[p + 8].datum[column];
  }
  void write16(u32 row, u32 column, u16 value) {
    const u32 p = physical16(row);
    dst_.row[p].datum[column] = value;
    // Silicon leaves the low half unpredictable; zero is one of the values it may have.
    if (mapping_.high_halves) dst_.row[p + 8].datum[column] = 0;
    dst_.valid[p] = 1;
  }
  void write32(u32 row, u32 column, u32 value) {
    const u32 p = physical32(row);
    dst_.row[p].datum[column] = static_cast<u16>(value >> 16);
    dst_.row[p + 8].datum[column] = static_cast<u16>(value);
    dst_.valid[p] = 1;
  }

  // --- Whole rows. Reading an invalid row gives `identity` in every column.
  DstRow read_row16(u32 row, u16 identity = 0) const {
    const u32 p = physical16(row);
    if (dst_.valid[p] != 0) return dst_.row[p];
    DstRow result;
    result.datum.fill(identity);
    return result;
  }
  DstRow32 read_row32(u32 row, u32 identity = 0) const {
    const u32 p = physical32(row);
    DstRow32 result;
    if (dst_.valid[p] == 0) {
      result.fill(identity);
      return result;
    }
    for (u32 i = 0; i < kRowDatums; ++i)
      result[i] = u32{dst_.row[p].datum[i]} << 16 | dst_.row[p + 8].datum[i];
    return result;
  }
  void write_row16(u32 row, const DstRow& value) {
    const u32 p = physical16(row);
    dst_.row[p] = value;
    if (mapping_.high_halves) dst_.row[p + 8] = DstRow{};
    dst_.valid[p] = 1;
  }
  void write_row32(u32 row, const DstRow32& value) {
    const u32 p = physical32(row);
    for (u32 i = 0; i < kRowDatums; ++i) {
      dst_.row[p].datum[i] = static_cast<u16>(value[i] >> 16);
      dst_.row[p + 8].datum[i] = static_cast<u16>(value[i]);
    }
    dst_.valid[p] = 1;
  }

 private:
  Dst& dst_;
  DstMapping mapping_;
};

/// The RISC-V window onto Dst at 0xFFBD8000 (Dst.md, "RISCV access to Dst"). `offset` is the byte
/// offset in the window, `size` 1, 2 or 4. Nothing: an access whose effect is undefined (reserved
/// `fmt`, misaligned, or a size that `thread`'s core cannot use with this `fmt`).
struct DstWindowResult {
  bool defined = true;
  u32 value = 0;
};
DstWindowResult read_dst_window(State& state, unsigned thread, u32 offset, u32 size);
bool write_dst_window(State& state, unsigned thread, u32 offset, u32 size, u32 value);

}  // namespace bhemu::tensix
