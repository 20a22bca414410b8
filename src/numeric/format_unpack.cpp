#include "numeric/format_unpack.hpp"

namespace bhemu::numeric {
namespace {

template <u32 (*kConvert)(u32)>
bool plain_row(const u32* datum, const u8*, u32* cell) {
  for (u32 i = 0; i < kRow; ++i) cell[i] = kConvert(datum[i]);
  return true;
}

template <u32 kShift>
bool bfp_row(const u32* datum, const u8* exponent, u32* cell) {
  for (u32 i = 0; i < kRow; ++i) cell[i] = unpack_bfp8(datum[i] << kShift, exponent[i]);
  return true;
}

template <u32 kShift>
bool bfp_a_row(const u32* datum, const u8* exponent, u32* cell) {
  bool defined = true;
  for (u32 i = 0; i < kRow; ++i) {
    cell[i] = unpack_bfp8a(datum[i] << kShift, exponent[i]);
    defined = defined && bfp8a_is_defined(cell[i]);
  }
  return defined;
}

UnpackRow row_from_fp32(Format out) {
  switch (out) {
    case Format::Tf32:
      return plain_row<unpack_fp32_to_tf32>;
    case Format::Bf16:
      return plain_row<unpack_fp32_to_bf16>;
    case Format::Fp16:
      return plain_row<unpack_fp32_to_fp16>;
    default:
      return nullptr;
  }
}

}  // namespace

bool keeps_cell(Format in, Format out) {
  if (in == out) return true;
  switch (in) {
    case Format::Bfp8:
    case Format::Bfp4:
    case Format::Bfp2:
      return out == Format::Bfp8 || out == Format::Bf16 || out == Format::Tf32;
    case Format::Bfp8a:
    case Format::Bfp4a:
    case Format::Bfp2a:
    case Format::Fp8:
      return out == Format::Fp16;
    case Format::Bf16:
      return out == Format::Tf32;
    default:
      return false;
  }
}

UnpackRow unpack_row_to_src(Format in, Format out, UnpackFlags flags) {
  if (in == Format::Fp32) return row_from_fp32(out);
  if (!keeps_cell(in, out)) return nullptr;
  switch (in) {
    case Format::Fp16:
      return plain_row<unpack_fp16>;
    case Format::Bf16:
      return plain_row<unpack_bf16>;
    case Format::Bfp8:
      return bfp_row<0>;
    case Format::Bfp4:
      return bfp_row<4>;
    case Format::Bfp2:
      return bfp_row<6>;
    case Format::Bfp8a:
      return bfp_a_row<0>;
    case Format::Bfp4a:
      return bfp_a_row<4>;
    case Format::Bfp2a:
      return bfp_a_row<6>;
    case Format::Fp8:
      return flags.fp8_e4m3 ? plain_row<unpack_fp8_e4m3> : plain_row<unpack_fp8_e5m2>;
    case Format::Int8:
      return flags.int8_unsigned ? plain_row<unpack_uint8> : plain_row<unpack_int8>;
    case Format::Int16:
      return plain_row<unpack_int16>;
    default:
      return nullptr;
  }
}

DstForm unpack_form_in_dst(Format in, Format out) {
  if (in == Format::Fp32) {
    switch (out) {
      case Format::Fp32:
      case Format::Tf32:
        return DstForm::Bits32;  // in Dst, TF32 means FP32
      case Format::Bf16:
        return DstForm::Bits16Exponent8;
      case Format::Fp16:
        return DstForm::Bits16Exponent5;
      default:
        return DstForm::Undefined;
    }
  }
  if (!keeps_cell(in, out) || (in != out && out == Format::Tf32)) return DstForm::Undefined;
  switch (in) {
    case Format::Tf32:
    case Format::Int32:
      return DstForm::Bits32;
    case Format::Bf16:
    case Format::Bfp8:
    case Format::Bfp4:
    case Format::Bfp2:
    case Format::Int16:
      return DstForm::Bits16Exponent8;  // Src order of INT16 puts it right here
    case Format::Fp16:
    case Format::Bfp8a:
    case Format::Bfp4a:
    case Format::Bfp2a:
    case Format::Fp8:
    case Format::Int8:
      return DstForm::Bits16Exponent5;
    default:
      return DstForm::Undefined;
  }
}

void dst16_from_cells(DstForm form, const u32* cell, u16* stored) {
  if (form == DstForm::Bits16Exponent8) {
    for (u32 i = 0; i < kRow; ++i) {
      const u32 c = cell[i];
      stored[i] = static_cast<u16>((c >> 31) << 15 | ((c >> 16) & 0x7F) << 8 | ((c >> 23) & 0xFF));
    }
    return;
  }
  for (u32 i = 0; i < kRow; ++i) {
    const u32 c = cell[i];
    stored[i] = static_cast<u16>((c >> 31) << 15 | ((c >> 13) & 0x3FF) << 5 | ((c >> 23) & 0x1F));
  }
}

}  // namespace bhemu::numeric
