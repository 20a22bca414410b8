// The conversions that kernels use most, whole rows at a time with vector instructions (Google
// Highway, the best target of the host chosen at run time). The scalar functions of
// format_unpack.hpp and format_pack.hpp are their oracle: same bits for every input.
#pragma once

#include "base/types.hpp"
#include "numeric/format_pack.hpp"
#include "numeric/format_unpack.hpp"

namespace bhemu::numeric {

/// `rows` rows of kRow datums, one after the other from the byte `datum`, to Src cells. Block
/// formats take one byte of `exponent` for each row.
using UnpackRows = void (*)(const u8* datum, const u8* exponent, u32 rows, u32* cell);
/// Null: this conversion goes row by row (unpack_row_to_src).
UnpackRows unpack_rows(Format in, Format out, UnpackFlags flags);

/// Rows of Dst storage on their way to L1.
struct PackJob {
  static constexpr u32 kRows = 64;
  // Only the first `rows` of these are set: clearing them would cost as much as a kernel.
  std::array<const u16*, kRows> high;  // a row of the 16-bit view, or the high halves
  std::array<const u16*, kRows> low;   // 32-bit view only
  u32 rows = 0;
  bool straight = false;   // the rows lie one after the other: of `high` only the first is set
  bool relu = false;       // mode 1: negative datums become +0
  u32 shift = 0;           // integer descale
  u32 exponent_mask = 0;   // bits of a code that hold its exponent
  u8* datum = nullptr;     // takes kRow * bits_of(out) / 8 bytes a row
  u8* exponent = nullptr;  // block formats: takes one byte a row
};
/// The greatest exponent of the codes after ReLU in its place, for the packer's statistics.
using PackRows = u32 (*)(const PackJob& job);
/// Early conversion, ReLU, late conversion to `mode.out` and block assembly in one. Null: they go
/// one by one.
PackRows pack_rows(const EarlyMode& mode, bool fp8_e4m3);

}  // namespace bhemu::numeric
