// Which formats the matrix unit assumes in SrcA, SrcB and Dst: implied by the bank's last unpack,
// or from configuration.
//
// Documents: tt-isa-documentation MOVA2D.md, MOVB2D.md, MVMUL.md, SrcASrcB.md; implied formats and
// the combinations of the two DISABLE_IMPLIED bits by experiment with tenstorrent/ttsim 1.10.0.
#pragma once

#include "numeric/format_codes.hpp"
#include "numeric/fpu_arithmetic.hpp"
#include "tensix/context.hpp"
#include "tensix/fpu/dst_access.hpp"

namespace bhemu::tensix {

/// Formats with an exponent of 8 bits; the others (FP16, FP8, BFP8a/4a/2a, INT8) have 5.
constexpr bool has_8_bit_exponent(numeric::Format format) {
  using enum numeric::Format;
  switch (format) {
    case Fp16:
    case Fp8:
    case Bfp8a:
    case Bfp4a:
    case Bfp2a:
    case Int8:
      return false;
    default:
      return true;
  }
}

struct FpuFormats {
  numeric::Format a = numeric::Format::Fp32;  // decides the style
  numeric::Format b = numeric::Format::Fp32;
  numeric::Format moves = numeric::Format::Fp32;  // what MOVB2D and MOVD2B go by
  bool force_fp16 = false;                        // FP16A_FORCE_Enable
  bool fp32 = false;                              // ALU_ACC_CTRL_Fp32_enabled
  bool int8 = false;                              // ALU_ACC_CTRL_INT8_math_enabled
  bool keep_denormals = false;                    // ALU_ACC_CTRL_Zero_Flag_disabled_src

  bool five_bit() const { return force_fp16 || !has_8_bit_exponent(a); }
  bool integer() const { return int8 && !force_fp16; }
  bool dst_is_32_bit() const { return !force_fp16 && (fp32 || int8); }

  /// For floating point.
  numeric::FpuMode mode() const {
    using numeric::DstKind;
    const bool five = five_bit();
    return {five, dst_is_32_bit() ? DstKind::Fp32 : five ? DstKind::Fp16 : DstKind::Bf16};
  }
  u32 mask_a() const { return mask_of(a); }
  u32 mask_b() const { return mask_of(b); }

 private:
  u32 mask_of(numeric::Format format) const {
    if (five_bit() || integer()) return numeric::kCellFp16;
    if (!has_8_bit_exponent(format)) return numeric::kCellFp16;
    return format == numeric::Format::Tf32 ? numeric::kCellAll : numeric::kCellBf16;
  }
};

inline FpuFormats fpu_formats(const Context& context) {
  const ConfigWords& words = context.config();
  const ThreadConfigWords& thread = context.thread_config();
  const FpuState& fpu = context.state.fpu;
  const u32 a_config = cfg::ALU_FORMAT_SPEC_REG_SrcA_override::get(words) != 0
                           ? cfg::ALU_FORMAT_SPEC_REG_SrcA_val::get(words)
                           : cfg::ALU_FORMAT_SPEC_REG0_SrcA::get(words);
  const u32 b_config = cfg::ALU_FORMAT_SPEC_REG_SrcB_override::get(words) != 0
                           ? cfg::ALU_FORMAT_SPEC_REG_SrcB_val::get(words)
                           : cfg::ALU_FORMAT_SPEC_REG1_SrcB::get(words);
  const bool a_implied = thread_cfg::DISABLE_IMPLIED_SRCA_FMT_Base::get(thread) == 0;
  const bool b_implied = thread_cfg::DISABLE_IMPLIED_SRCB_FMT_Base::get(thread) == 0;
  const u32 a_bank = fpu.src_a.format[fpu.src_a.matrix_bank];
  const u32 b_bank = fpu.src_b.format[fpu.src_b.matrix_bank];

  FpuFormats formats;
  formats.a = numeric::format_of(a_implied ? a_bank : a_config);
  formats.b = numeric::format_of(b_implied ? b_bank : b_config);
  formats.moves = numeric::format_of(a_implied ? b_bank : a_config);
  formats.force_fp16 = thread_cfg::FP16A_FORCE_Enable::get(thread) != 0;
  formats.fp32 = cfg::ALU_ACC_CTRL_Fp32_enabled::get(words) != 0;
  formats.int8 = cfg::ALU_ACC_CTRL_INT8_math_enabled::get(words) != 0;
  formats.keep_denormals = cfg::ALU_ACC_CTRL_Zero_Flag_disabled_src::get(words) != 0;
  return formats;
}

}  // namespace bhemu::tensix
