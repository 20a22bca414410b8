#include "numeric/format_pack.hpp"

#include <algorithm>

namespace bhemu::numeric {

const char* name_of(PackCode code) {
  constexpr const char* kNames[] = {"undefined", "FP32",  "INT32", "TF32", "FP16 (19 bits)",
                                    "BF16",      "E8M6",  "FP16",  "E5M7", "E5M6",
                                    "E5M2",      "INT16", "INT8",  "UINT8"};
  return kNames[static_cast<u8>(code)];
}

// --- Between the two.

bool negative_infinity(PackCode code, u32& value) {
  switch (code) {
    case PackCode::Fp32:
      value = 0xFF800000u;
      return true;
    case PackCode::Tf32:
    case PackCode::Fp16Wide:
      value = 0x7FC00u;
      return true;
    case PackCode::Bf16:
    case PackCode::E8m6:
      value = 0xFF80u;
      return true;
    // Formats with 5 bits of exponent have no infinity: the largest magnitude stands for it
    // (FloatBitPatterns.md, FP16).
    case PackCode::Fp16:
      value = 0xFFFFu;
      return true;
    case PackCode::E5m7:
      value = 0xFFF8u;
      return true;
    case PackCode::E5m6:
      value = 0xFFF0u;
      return true;
    case PackCode::E5m2:
      value = 0xFF00u;
      return true;
    default:
      return false;
  }
}

ExponentField exponent_field(PackCode code) {
  switch (code) {
    case PackCode::Fp32:
    case PackCode::Int32:
      return {23, 0xFF};
    case PackCode::Tf32:
    case PackCode::Fp16Wide:
      return {10, 0xFF};
    case PackCode::Bf16:
    case PackCode::E8m6:
      return {7, 0xFF};
    case PackCode::Fp16:
    case PackCode::E5m7:
    case PackCode::E5m6:
    case PackCode::E5m2:
      return {10, 0x1F};
    case PackCode::Int16:
      return {0, 0xFF};
    default:
      return {};
  }
}

namespace {

u32 sign_bit_of(PackCode code) {
  switch (code) {
    case PackCode::Fp32:
    case PackCode::Int32:
      return 31;
    case PackCode::Tf32:
    case PackCode::Fp16Wide:
      return 18;
    case PackCode::Int8:
      return 7;
    default:
      return 15;
  }
}

bool is_integer_code(PackCode code) {
  return code == PackCode::Int32 || code == PackCode::Int16 || code == PackCode::Int8 ||
         code == PackCode::Uint8;
}

}  // namespace

bool relu_is_defined(PackCode code, const Relu& relu) {
  if ((relu.mode & 3) < 2) return true;
  return !is_integer_code(code) && (relu.threshold & 0x8000) == 0;
}

void relu_row(PackCode code, const Relu& relu, u32* value, u32 count) {
  const u32 mode = relu.mode & 3;
  if (mode == 0 || code == PackCode::Uint8) return;
  const u32 sign_bit = sign_bit_of(code);
  // The threshold lines up with the top 16 bits of the code; a 19-bit code on its way to FP16
  // still has 8 bits of exponent, so its threshold is a BF16 pattern too.
  const u32 threshold = sign_bit >= 15 ? relu.threshold << (sign_bit - 15) : 0;
  // For FP32 the upper clamp compares the top 19 bits only.
  const u32 ignored = code == PackCode::Fp32 ? 13 : 0;
  for (u32 i = 0; i < count; ++i) {
    const u32 v = value[i];
    const bool negative = ((v >> sign_bit) & 1) != 0;
    u32 result = negative ? 0 : v;
    if (mode == 2 && v <= threshold) result = 0;
    if (mode == 3 && !negative && (v >> ignored) > (threshold >> ignored)) result = threshold;
    value[i] = result;
  }
}

// --- Late conversion.

u32 late_fp32_to_fp16(u32 v) {
  const u32 sign = (v >> 31) << 15;
  const u32 exponent = (v >> 23) & 0xFF;
  if (exponent < 112) return sign;
  if (exponent > 143) return sign | 0x7FFF;
  return sign | (exponent - 112) << 10 | ((v >> 13) & 0x3FF);
}

u32 late_fp16_to_fp32(u32 v) {
  const u32 exponent = (v >> 10) & 0x1F;
  // Denormals keep their mantissa under exponent 0: "mishandled" in the documents' words.
  return (v & 0x8000) << 16 | (exponent == 0 ? 0 : exponent + 112) << 23 | (v & 0x3FF) << 13;
}

u32 late_fp16_to_bf16(u32 v) {
  const u32 exponent = (v >> 10) & 0x1F;
  if (exponent == 0) return 0;
  return (v & 0x8000) | (exponent + 112) << 7 | ((v >> 3) & 0x7F);
}

u32 late_fp16_to_fp8_e4m3(u32 v) {
  const u32 sign = (v >> 8) & 0x80;
  const u32 exponent = (v >> 10) & 0x1F;
  if (exponent <= 8) return sign;
  if (exponent >= 24) return sign | 0x7F;
  return sign | (exponent - 8) << 3 | ((v >> 7) & 7);
}

u32 late_fp16_to_fp8_e5m2(u32 v) {
  return (v >> 8) & 0xFF;
}

namespace {

u32 keep(u32 v) {
  return v;
}
u32 fp32_to_bf16(u32 v) {
  return (v & 0x7FFFFFFF) < 0x800000 ? 0 : v >> 16;
}
u32 fp32_to_fp8(u32 v) {
  return late_fp16_to_fp8_e5m2(late_fp32_to_fp16(v));
}
u32 bf16_to_fp32(u32 v) {
  return v << 16;
}
u32 bf16_to_fp16(u32 v) {
  return late_fp32_to_fp16(v << 16);
}
u32 bf16_to_fp8(u32 v) {
  return fp32_to_fp8(v << 16);
}
u32 tf32_to_fp32(u32 v) {
  return v << 13;
}
u32 tf32_to_bf16(u32 v) {
  return fp32_to_bf16(v << 13);
}
u32 tf32_to_fp16(u32 v) {
  return late_fp32_to_fp16(v << 13);
}
u32 tf32_to_fp8(u32 v) {
  return fp32_to_fp8(v << 13);
}

/// A 19-bit code with In_data_format FP16 is made FP16 first.
template <u32 (*kThen)(u32)>
u32 via_fp16(u32 v) {
  return kThen(tf32_to_fp16(v));
}

/// The 5-bit exponent is zero-extended into the place of the 8-bit one.
u32 fp16_to_group_a(u32 v) {
  return (v & 0x8000) | ((v >> 10) & 0x1F) << 7 | ((v >> 3) & 0x7F);
}
u32 fp32_to_group_a(u32 v) {
  return fp16_to_group_a(late_fp32_to_fp16(v));
}
u32 bf16_to_group_a(u32 v) {
  return fp32_to_group_a(v << 16);
}
u32 tf32_to_group_a(u32 v) {
  return fp32_to_group_a(v << 13);
}

template <u32 (*kConvert)(u32)>
void late_row(const u32* code, u32* datum) {
  for (u32 i = 0; i < kRow; ++i) datum[i] = kConvert(code[i]);
}

LateRow late_from_fp32(Format to, bool fp8_e4m3) {
  switch (to) {
    case Format::Fp32:
      return late_row<keep>;
    case Format::Bf16:
      return late_row<fp32_to_bf16>;
    case Format::Fp16:
      return late_row<late_fp32_to_fp16>;
    case Format::Fp8:
      return fp8_e4m3 ? nullptr : late_row<fp32_to_fp8>;
    case Format::Bfp8:
    case Format::Bfp4:
    case Format::Bfp2:
      return late_row<fp32_to_bf16>;
    case Format::Bfp8a:
    case Format::Bfp4a:
    case Format::Bfp2a:
      return late_row<fp32_to_group_a>;
    default:
      return nullptr;
  }
}

LateRow late_from_tf32(Format to, bool fp8_e4m3) {
  switch (to) {
    case Format::Fp32:
    case Format::Tf32:
      return late_row<tf32_to_fp32>;
    case Format::Bf16:
      return late_row<tf32_to_bf16>;
    case Format::Fp16:
      return late_row<tf32_to_fp16>;
    case Format::Fp8:
      return fp8_e4m3 ? nullptr : late_row<tf32_to_fp8>;
    case Format::Bfp8:
    case Format::Bfp4:
    case Format::Bfp2:
      return late_row<tf32_to_bf16>;
    case Format::Bfp8a:
    case Format::Bfp4a:
    case Format::Bfp2a:
      return late_row<tf32_to_group_a>;
    default:
      return nullptr;
  }
}

LateRow late_from_bf16(Format to, bool fp8_e4m3) {
  switch (to) {
    case Format::Fp32:
    case Format::Tf32:
      return late_row<bf16_to_fp32>;
    case Format::Bf16:
      return late_row<keep>;
    case Format::Fp16:
      return late_row<bf16_to_fp16>;
    case Format::Fp8:
      return fp8_e4m3 ? nullptr : late_row<bf16_to_fp8>;
    case Format::Bfp8:
    case Format::Bfp4:
    case Format::Bfp2:
      return late_row<keep>;
    case Format::Bfp8a:
    case Format::Bfp4a:
    case Format::Bfp2a:
      return late_row<bf16_to_group_a>;
    default:
      return nullptr;
  }
}

LateRow late_from_fp16(Format to, bool fp8_e4m3) {
  switch (to) {
    case Format::Fp32:
    case Format::Tf32:
      return late_row<late_fp16_to_fp32>;
    case Format::Bf16:
      return late_row<late_fp16_to_bf16>;
    case Format::Fp16:
      return late_row<keep>;
    case Format::Fp8:
      return fp8_e4m3 ? late_row<late_fp16_to_fp8_e4m3> : late_row<late_fp16_to_fp8_e5m2>;
    case Format::Bfp8:
    case Format::Bfp4:
    case Format::Bfp2:
      return late_row<late_fp16_to_bf16>;
    case Format::Bfp8a:
    case Format::Bfp4a:
    case Format::Bfp2a:
      return late_row<fp16_to_group_a>;
    default:
      return nullptr;
  }
}

LateRow late_from_fp16_wide(Format to, bool fp8_e4m3) {
  switch (to) {
    case Format::Fp32:
    case Format::Tf32:
      return late_row<via_fp16<late_fp16_to_fp32>>;
    case Format::Bf16:
      return late_row<via_fp16<late_fp16_to_bf16>>;
    case Format::Fp16:
      return late_row<tf32_to_fp16>;
    case Format::Fp8:
      return fp8_e4m3 ? late_row<via_fp16<late_fp16_to_fp8_e4m3>>
                      : late_row<via_fp16<late_fp16_to_fp8_e5m2>>;
    case Format::Bfp8:
    case Format::Bfp4:
    case Format::Bfp2:
      return late_row<via_fp16<late_fp16_to_bf16>>;
    case Format::Bfp8a:
    case Format::Bfp4a:
    case Format::Bfp2a:
      return late_row<via_fp16<fp16_to_group_a>>;
    default:
      return nullptr;
  }
}

}  // namespace

LateRow late_conversion(PackCode from, Format to, bool fp8_e4m3) {
  switch (from) {
    case PackCode::Fp32:
      return late_from_fp32(to, fp8_e4m3);
    case PackCode::Tf32:
      return late_from_tf32(to, fp8_e4m3);
    case PackCode::Fp16Wide:
      return late_from_fp16_wide(to, fp8_e4m3);
    case PackCode::Bf16:
    case PackCode::E8m6:
      return late_from_bf16(to, fp8_e4m3);
    case PackCode::Fp16:
    case PackCode::E5m7:
    case PackCode::E5m6:
    case PackCode::E5m2:
      return late_from_fp16(to, fp8_e4m3);
    case PackCode::Int32:
      return to == Format::Int32 ? late_row<keep> : nullptr;
    case PackCode::Int16:
      return to == Format::Int16 ? late_row<keep> : nullptr;
    case PackCode::Int8:
    case PackCode::Uint8:
      return to == Format::Int8 ? late_row<keep> : nullptr;
    case PackCode::Undefined:
      break;
  }
  return nullptr;
}

// --- Block floats.

Block assemble_group(Format to, const u16* group) {
  Block block;
  u32 shared = 0;
  for (u32 i = 0; i < kRow; ++i) shared = std::max(shared, u32{group[i]} >> 7 & 0xFF);
  block.exponent = static_cast<u8>(shared);
  const u32 bits = bits_of(to);
  for (u32 i = 0; i < kRow; ++i) {
    const u32 exponent = u32{group[i]} >> 7 & 0xFF;
    const u32 mantissa = (group[i] & 0x7Fu) + (exponent != 0 ? 128 : 0);
    const u32 shift = std::min(shared - exponent, 8u);
    u32 magnitude = std::min((mantissa + (1u << shift)) >> (shift + 1), 127u);
    if (shift == 8) magnitude = 0;
    magnitude >>= 8 - bits;
    const u32 sign = u32{group[i]} >> 15;
    block.datum[i] = static_cast<u8>(magnitude == 0 ? 0 : sign << (bits - 1) | magnitude);
  }
  return block;
}

}  // namespace bhemu::numeric
