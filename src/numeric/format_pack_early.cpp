// The packer's early conversion, just after Dst: rounding, truncation or bit copies.
#include <algorithm>

#include "numeric/format_pack.hpp"

namespace bhemu::numeric {

// --- From the 32-bit view.

namespace {

constexpr u32 kSign = 0x80000000u;

/// Magnitude with NaN as infinity: what every rounding of an 8-bit exponent starts from.
u32 finite_or_infinite(u32 v) {
  return std::min(v & ~kSign, 0x7F800000u);
}

}  // namespace

u32 round_fp32_to_bf16(u32 v) {
  const u32 q = (finite_or_infinite(v) + 0x8000u) >> 16;
  return q < 0x80 ? 0 : (v >> 31) << 15 | q;
}

u32 round_fp32_to_e8m6(u32 v) {
  const u32 q = ((finite_or_infinite(v) + 0x10000u) >> 17) << 1;
  return q < 0x80 ? 0 : (v >> 31) << 15 | q;
}

u32 round_fp32_to_tf32(u32 v) {
  const u32 q = (finite_or_infinite(v) + 0x1000u) >> 13;
  return q < 0x400 ? 0 : (v >> 31) << 18 | q;
}

namespace {

u32 early32_identity(u32 v, u32) {
  return v;
}
u32 early32_bf16(u32 v, u32) {
  return round_fp32_to_bf16(v);
}
u32 early32_bf16_truncated(u32 v, u32) {
  return v >> 16;
}
u32 early32_e8m6(u32 v, u32) {
  return round_fp32_to_e8m6(v);
}
u32 early32_tf32(u32 v, u32) {
  return round_fp32_to_tf32(v);
}

/// Magnitude shifted right, rounded half away from zero.
u32 descaled(u32 v, u32 shift) {
  const u64 magnitude = v & ~kSign;
  if (shift == 0) return static_cast<u32>(magnitude);
  return static_cast<u32>((magnitude + (u64{1} << (shift - 1))) >> shift);
}
u32 early32_int8(u32 v, u32 shift) {
  return (v >> 31) << 7 | std::min(descaled(v, shift), 127u);
}
u32 early32_uint8(u32 v, u32 shift) {
  return (v & kSign) != 0 ? 0 : std::min(descaled(v, shift), 255u);
}
u32 early32_int8_raw(u32 v, u32) {
  return (v >> 31) << 7 | (v & 0x7F);
}
u32 early32_uint8_raw(u32 v, u32) {
  return v & 0xFF;
}

/// The stored high half as it is: the documents list no INT16 from 32-bit data; this is what the
/// path gives, the permutation of the high half included.
u32 early32_int16(u32 stored, u32) {
  return stored >> 16;
}

// --- From the 16-bit view.

u32 early16_bf16(u32 v, u32) {
  const u32 magnitude = std::min(v & 0x7FFF, 0x7F80u);
  return magnitude < 0x80 ? 0 : (v & 0x8000) | magnitude;
}
u32 early16_e8m6(u32 v, u32) {
  const u32 flushed = early16_bf16(v, 0);
  const u32 q = (((flushed & 0x7FFF) + 1) >> 1) << 1;
  return q == 0 ? 0 : (v & 0x8000) | q;
}
u32 early16_tf32(u32 v, u32) {
  return early16_bf16(v, 0) << 3;
}
u32 early16_identity(u32 v, u32) {
  return v;
}
u32 early16_fp16(u32 v, u32) {
  return (v & 0x7FFF) < 0x400 ? 0 : v;
}
u32 early16_e5m7(u32 v, u32) {
  return v & ~7u;
}
u32 early16_e5m6(u32 v, u32) {
  const u32 q = (std::min(v & 0x7FFF, 0x7FF0u) + 8) & ~15u;
  return q < 0x400 ? 0 : (v & 0x8000) | q;
}
u32 early16_e5m2(u32 v, u32) {
  return v & 0xFF00;
}
u32 early16_sign(u32 v, u32) {
  return (v >> 15) << 7;
}

/// Dst holds BF16 and the packer wants FP16: Round_10b_mant with FP16 (Blackhole, FP8 output).
u32 early16_bf16_to_fp16(u32 v, u32) {
  const u32 sign = v & 0x8000;
  const u32 exponent = (v >> 7) & 0xFF;
  if (exponent < 112) return sign;
  if (exponent > 143) return sign | 0x7FFF;
  return sign | (exponent - 112) << 10 | (v & 0x7F) << 3;
}

u32 from_fp32_order(u32 stored) {
  return fp32_from_dst(stored);
}
u32 from_bf16_order(u32 stored) {
  return bf16_from_dst(static_cast<u16>(stored));
}
u32 from_fp16_order(u32 stored) {
  return fp16_from_dst(static_cast<u16>(stored));
}
u32 as_stored(u32 stored) {
  return stored;
}

template <u32 (*kOrder)(u32), u32 (*kConvert)(u32, u32)>
void early_row(const u32* stored, u32 shift, u32* code) {
  for (u32 i = 0; i < kRow; ++i) code[i] = kConvert(kOrder(stored[i]), shift);
}

template <u32 (*kConvert)(u32, u32)>
EarlyConversion from_32(PackCode code, bool rounds) {
  return {code, early_row<from_fp32_order, kConvert>, rounds};
}
template <u32 (*kConvert)(u32, u32)>
EarlyConversion from_bf16(PackCode code, bool rounds) {
  return {code, early_row<from_bf16_order, kConvert>, rounds};
}
template <u32 (*kConvert)(u32, u32)>
EarlyConversion from_fp16(PackCode code, bool rounds) {
  return {code, early_row<from_fp16_order, kConvert>, rounds};
}

EarlyConversion early_from_32(const EarlyMode& m) {
  const bool raw = m.read_raw;
  switch (m.intermediate) {
    case Format::Int32:
      return from_32<early32_identity>(PackCode::Int32, false);
    case Format::Fp32:
      if (m.round_10b_mant && !raw) return from_32<early32_tf32>(PackCode::Tf32, true);
      return from_32<early32_identity>(PackCode::Fp32, false);
    case Format::Tf32:
      if (raw) return from_32<early32_identity>(PackCode::Fp32, false);
      return from_32<early32_tf32>(PackCode::Tf32, true);
    case Format::Bf16:
      if (raw) return from_32<early32_bf16_truncated>(PackCode::Bf16, false);
      if (m.round_10b_mant && m.out == Format::Fp16)
        return from_32<early32_tf32>(PackCode::Tf32, true);
      return from_32<early32_bf16>(PackCode::Bf16, true);
    case Format::Bfp8:
      if (raw) return from_32<early32_bf16_truncated>(PackCode::Bf16, false);
      return from_32<early32_e8m6>(PackCode::E8m6, true);
    case Format::Fp16:
      if (m.round_10b_mant && !raw) return from_32<early32_tf32>(PackCode::Fp16Wide, true);
      return {};
    case Format::Int8:
      if (raw && m.read_unsigned) return from_32<early32_uint8_raw>(PackCode::Uint8, false);
      if (raw) return from_32<early32_int8_raw>(PackCode::Int8, false);
      if (m.read_unsigned) return from_32<early32_uint8>(PackCode::Uint8, true);
      return from_32<early32_int8>(PackCode::Int8, true);
    case Format::Int16:
      return {PackCode::Int16, early_row<as_stored, early32_int16>, false};
    default:
      return {};
  }
}

EarlyConversion early_from_16(const EarlyMode& m) {
  const bool raw = m.read_raw;
  switch (m.intermediate) {
    case Format::Fp32:
      if (m.round_10b_mant && !raw) return from_bf16<early16_tf32>(PackCode::Tf32, true);
      return {};
    case Format::Tf32:
      if (!raw) return from_bf16<early16_tf32>(PackCode::Tf32, true);
      return {};
    case Format::Bf16:
      if (raw) return from_bf16<early16_identity>(PackCode::Bf16, false);
      if (m.round_10b_mant && m.out == Format::Fp16)
        return from_bf16<early16_tf32>(PackCode::Tf32, true);
      return from_bf16<early16_bf16>(PackCode::Bf16, true);
    case Format::Bfp8:
      if (raw) return from_bf16<early16_identity>(PackCode::Bf16, false);
      return from_bf16<early16_e8m6>(PackCode::E8m6, true);
    case Format::Fp16:
      if (raw) return from_fp16<early16_identity>(PackCode::Fp16, false);
      if (m.round_10b_mant) return from_bf16<early16_bf16_to_fp16>(PackCode::Fp16, true);
      return from_fp16<early16_fp16>(PackCode::Fp16, true);
    case Format::Bfp8a:
      if (raw) return from_fp16<early16_e5m7>(PackCode::E5m7, false);
      return from_fp16<early16_e5m6>(PackCode::E5m6, true);
    case Format::Fp8:
      if (raw) return from_fp16<early16_e5m2>(PackCode::E5m2, false);
      return {};
    case Format::Int16:
      return {PackCode::Int16, early_row<as_stored, early16_identity>, false};
    case Format::Int8:
      if (raw && !m.read_unsigned)
        return {PackCode::Int8, early_row<as_stored, early16_sign>, false};
      return {};
    default:
      return {};
  }
}

u32 fp8_container(u32 v, u32) {
  return v << 8;
}
u32 bfp8_container(u32 v, u32) {
  return (v & 0x80) << 8 | (v & 0x7F);
}
u32 bfp8a_container(u32 v, u32) {
  return (v & 0x80) << 8 | (v & 0x7F) << 3;
}

}  // namespace

EarlyConversion early_conversion(const EarlyMode& mode) {
  return mode.read_32b ? early_from_32(mode) : early_from_16(mode);
}

EarlyConversion l1_source_conversion(Format intermediate) {
  switch (intermediate) {
    case Format::Fp32:
      return {PackCode::Fp32, early_row<as_stored, early32_identity>, false};
    case Format::Int32:
      return {PackCode::Int32, early_row<as_stored, early32_identity>, false};
    case Format::Bf16:
      return {PackCode::Bf16, early_row<as_stored, early32_identity>, false};
    case Format::Fp16:
      return {PackCode::Fp16, early_row<as_stored, early32_identity>, false};
    case Format::Int16:
      return {PackCode::Int16, early_row<as_stored, early32_identity>, false};
    case Format::Int8:
      return {PackCode::Int8, early_row<as_stored, early32_identity>, false};
    case Format::Fp8:
      return {PackCode::E5m2, early_row<as_stored, fp8_container>, false};
    case Format::Bfp8:
      return {PackCode::Bf16, early_row<as_stored, bfp8_container>, false};
    case Format::Bfp8a:
      return {PackCode::E5m7, early_row<as_stored, bfp8a_container>, false};
    default:
      return {};
  }
}

}  // namespace bhemu::numeric
