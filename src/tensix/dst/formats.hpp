// Which formats the matrix unit assumes in SrcA, SrcB and Dst: implied by the bank's last unpack,
// or from configuration.
//
// Documents: tt-isa-documentation MOVA2D.md, MOVB2D.md, MVMUL.md, SrcASrcB.md; implied formats and
// the combinations of the two DISABLE_IMPLIED bits by experiment with tenstorrent/ttsim 1.10.0.
#pragma once

#include "numeric/format_codes.hpp"
#include "numeric/fpu_arithmetic.hpp"
#include "tensix/context.hpp"
#include "tensix/dst/dst_access.hpp"
#include "tensix/footprint/recorder.hpp"

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

/// Which of the three formats an instruction goes by; the others of FpuFormats stay what they are.
enum class FormatsFor : u8 { Nothing, A, Both, Moves };

/// The format that the bank of a file implies.
template <class C>
u32 implied_format(const C& context, u32 file) {
  const FpuState& fpu = context.state.fpu;
  const SrcFile& src = file == 0 ? fpu.src_a : fpu.src_b;
  note_read(context, Space::SrcControl,
            file * footprint_cell::kSrcCells + footprint_cell::Format0 + src.matrix_bank);
  return src.format[src.matrix_bank];
}
template <class Words>
u32 configured_src_a_format(const Words& words) {
  return cfg::ALU_FORMAT_SPEC_REG_SrcA_override::get(words) != 0
             ? cfg::ALU_FORMAT_SPEC_REG_SrcA_val::get(words)
             : cfg::ALU_FORMAT_SPEC_REG0_SrcA::get(words);
}
template <class Words>
u32 configured_src_b_format(const Words& words) {
  return cfg::ALU_FORMAT_SPEC_REG_SrcB_override::get(words) != 0
             ? cfg::ALU_FORMAT_SPEC_REG_SrcB_val::get(words)
             : cfg::ALU_FORMAT_SPEC_REG1_SrcB::get(words);
}

/// Always inline: which formats there are is known where it is called.
template <class C>
[[gnu::always_inline]] inline FpuFormats fpu_formats(const C& context, FormatsFor which) {
  const auto& words = context.config();
  const auto& thread = context.thread_config();
  FpuFormats formats;
  if (which != FormatsFor::Nothing) {
    const bool implied = thread_cfg::DISABLE_IMPLIED_SRCA_FMT_Base::get(thread) == 0;
    const u32 format = implied ? implied_format(context, which == FormatsFor::Moves ? 1 : 0)
                               : configured_src_a_format(words);
    (which == FormatsFor::Moves ? formats.moves : formats.a) = numeric::format_of(format);
  }
  if (which == FormatsFor::Both) {
    const bool implied = thread_cfg::DISABLE_IMPLIED_SRCB_FMT_Base::get(thread) == 0;
    formats.b =
        numeric::format_of(implied ? implied_format(context, 1) : configured_src_b_format(words));
  }
  formats.force_fp16 = thread_cfg::FP16A_FORCE_Enable::get(thread) != 0;
  formats.fp32 = cfg::ALU_ACC_CTRL_Fp32_enabled::get(words) != 0;
  formats.int8 = cfg::ALU_ACC_CTRL_INT8_math_enabled::get(words) != 0;
  formats.keep_denormals = cfg::ALU_ACC_CTRL_Zero_Flag_disabled_src::get(words) != 0;
  return formats;
}

}  // namespace bhemu::tensix
