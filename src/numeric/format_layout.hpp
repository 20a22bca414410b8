// Bit order of datums in the register files against IEEE order.
//
// Dst keeps the exponent below the mantissa (Dst.md, "Data type bit layout"); SrcA and SrcB do the
// same in silicon, but are kept here as cells in IEEE order (see SrcRow in tensix/fpu/state.hpp):
// s << 31 | e(8) << 23 | m(10) << 13.
#pragma once

#include "base/types.hpp"

namespace bhemu::numeric {

// --- Dst, 16-bit view.
constexpr u16 dst_from_bf16(u16 v) {
  return static_cast<u16>((v & 0x8000) | ((v & 0x007F) << 8) | ((v >> 7) & 0xFF));
}
constexpr u16 bf16_from_dst(u16 v) {
  return static_cast<u16>((v & 0x8000) | ((v & 0x00FF) << 7) | ((v >> 8) & 0x7F));
}
constexpr u16 dst_from_fp16(u16 v) {
  return static_cast<u16>((v & 0x8000) | ((v & 0x03FF) << 5) | ((v >> 10) & 0x1F));
}
constexpr u16 fp16_from_dst(u16 v) {
  return static_cast<u16>((v & 0x8000) | ((v & 0x001F) << 10) | ((v >> 5) & 0x3FF));
}

// --- Dst, 32-bit view: the high half is permuted as BF16, the low half is kept. The same for
// INT32, so a 32-bit datum that goes in and out is a bit copy.
constexpr u32 dst_from_fp32(u32 v) {
  return (v & 0x8000FFFFu) | ((v & 0x7F800000u) >> 7) | ((v & 0x007F0000u) << 8);
}
constexpr u32 fp32_from_dst(u32 v) {
  return (v & 0x8000FFFFu) | ((v & 0x00FF0000u) << 7) | ((v & 0x7F000000u) >> 8);
}

// --- Src: the 19 bits of the physical cell, s ‖ m(10) ‖ e(8), for dumps and for the immediate
// clear value.
constexpr u32 src_bits_from_cell(u32 cell) {
  return ((cell >> 31) << 18) | (((cell >> 13) & 0x3FF) << 8) | ((cell >> 23) & 0xFF);
}
constexpr u32 cell_from_src_bits(u32 stored) {
  return ((stored >> 18) & 1) << 31 | (stored & 0xFF) << 23 | ((stored >> 8) & 0x3FF) << 13;
}
/// The same 19 bits in IEEE order, as the documents print them.
constexpr u32 ieee19_from_cell(u32 cell) {
  return cell >> 13;
}

}  // namespace bhemu::numeric
