// What the unpackers do to a datum between L1 and SrcA, SrcB or Dst: pure functions, one per row of
// the conversion table, and the choice of one of them for 16 datums at a time.
//
// Documents: tt-isa-documentation UNPACR_Regular.md (FormatConversion), FloatBitPatterns.md.
// Every exception to those pages (FP8) is commented where it is made.
// Results are Src cells: s << 31 | e(8) << 23 | m(10) << 13 (format_layout.hpp).
#pragma once

#include <bit>

#include "base/types.hpp"
#include "numeric/format_codes.hpp"
#include "numeric/format_layout.hpp"

namespace bhemu::numeric {

/// Truncates; denormals, -0 and NaN patterns are kept, so that a NaN whose payload lies in the 13
/// dropped bits becomes infinity.
constexpr u32 unpack_fp32_to_tf32(u32 d) {
  return d & 0xFFFFE000u;
}

/// Truncates; denormals become signed zero.
constexpr u32 unpack_fp32_to_bf16(u32 d) {
  return (d & 0x7F800000u) == 0 ? d & 0x80000000u : d & 0xFFFF0000u;
}

/// Saturates without infinity; an exponent of 112 keeps its mantissa with exponent 0, which is not
/// a proper denormal (its value is lost later).
constexpr u32 unpack_fp32_to_fp16(u32 d) {
  const u32 sign = d & 0x80000000u;
  const u32 exponent = (d >> 23) & 0xFF;
  if (exponent < 112) return sign;
  if (exponent > 143) return sign | 31u << 23 | 0x3FFu << 13;
  return sign | (exponent - 112) << 23 | (d & 0x007FE000u);
}

constexpr u32 unpack_fp16(u32 d) {
  return (d & 0x8000) << 16 | ((d >> 10) & 0x1F) << 23 | (d & 0x3FF) << 13;
}
constexpr u32 unpack_bf16(u32 d) {
  return d << 16;
}

/// `datum` is widened to the 8 bits of BFP8: sign and 7 bits of magnitude. The exponent wraps
/// modulo 256; sign without magnitude is -infinity.
constexpr u32 unpack_bfp8(u32 datum, u32 exponent) {
  const u32 sign = (datum & 0x80) << 24;
  const u32 magnitude = datum & 0x7F;
  if (magnitude == 0) return sign != 0 ? 0xFF800000u : 0;
  const u32 shift = static_cast<u32>(std::countl_zero(magnitude)) - 25;
  return sign | ((exponent - shift) & 0xFF) << 23 | ((magnitude << shift) & 0x3F) << 17;
}

/// The same with a 5-bit exponent. The result has more than 5 bits of exponent where the
/// documents say "undefined"; `bfp8a_is_defined` tells.
constexpr u32 unpack_bfp8a(u32 datum, u32 exponent) {
  if ((datum & 0xFF) == 0x80) return unpack_fp16(0xFC00);
  return unpack_bfp8(datum, exponent);
}
constexpr bool bfp8a_is_defined(u32 cell) {
  return ((cell >> 23) & 0xE0) == 0;
}

/// FP8 with 5 bits of exponent. Blackhole turns 0x7F and 0xFF into the FP16 pattern of the largest
/// magnitude, where the (Wormhole) page has a plain shift by 8.
constexpr u32 unpack_fp8_e5m2(u32 d) {
  const u32 fp16 = (d & 0x7F) == 0x7F ? (d & 0x80) << 8 | 0x7FFF : d << 8;
  return unpack_fp16(fp16);
}

/// FP8 with 4 bits of exponent (Unp_LF8_4b_exp), expanded to FP16. Exponent 0 stays 0, so
/// subnormals are lost downstream (seen on silicon).
constexpr u32 unpack_fp8_e4m3(u32 d) {
  const u32 exponent = (d >> 3) & 0xF;
  const u32 mantissa = d & 7;
  const u32 wide = (d & 0x7F) == 0x7F ? 0x3FFu : mantissa << 7;
  return (d & 0x80) << 24 | (exponent == 0 ? 0 : exponent + 8) << 23 | wide << 13;
}

/// Integer "8": laid over FP16 with a constant exponent of 16, or 0 when the magnitude is 0.
constexpr u32 unpack_int8(u32 d) {
  const u32 magnitude = d & 0x7F;
  return (d & 0x80) << 24 | (magnitude == 0 ? 0 : 16u << 23) | magnitude << 13;
}
constexpr u32 unpack_uint8(u32 d) {
  return (d == 0 ? 0 : 16u << 23) | d << 13;
}

/// Integer "16", opaque: low byte where the exponent is, the next 7 bits on top of the mantissa.
constexpr u32 unpack_int16(u32 d) {
  return (d & 0x8000) << 16 | (d & 0xFF) << 23 | ((d >> 8) & 0x7F) << 16;
}

struct UnpackFlags {
  bool fp8_e4m3 = false;       // Unp_LF8_4b_exp of the unpacker
  bool int8_unsigned = false;  // ALU_FORMAT_SPEC_REG0_SrcAUnsigned / SrcBUnsigned
};

/// In a register, formats of one exponent width are one: LLK's Blackhole library lists these pairs
/// (tt-llk, common/inc/cunpack_common.h, is_unpacker_format_conversion_supported_fp32_acc), and
/// its tests unpack BFP4 as BFP8.
bool keeps_cell(Format in, Format out);

/// Converts kRow datums, each right-aligned in its word, to Src cells. `exponent` has the shared
/// exponent of each datum (read by BFP formats only). False: a datum's exponent left the 5 bits
/// of its format, which the documents call undefined.
using UnpackRow = bool (*)(const u32* datum, const u8* exponent, u32* cell);

/// Null when the hardware has no conversion between the two.
UnpackRow unpack_row_to_src(Format in, Format out, UnpackFlags flags);

/// How a datum lands in Dst: in its 16-bit view by one of the two orders of exponent and mantissa,
/// or as 32 bits that are copied.
enum class DstForm : u8 { Undefined, Bits16Exponent8, Bits16Exponent5, Bits32 };
DstForm unpack_form_in_dst(Format in, Format out);

/// kRow cells of the 16-bit conversions as Dst stores them.
void dst16_from_cells(DstForm form, const u32* cell, u16* stored);

}  // namespace bhemu::numeric
