// Floating point of the baby RISC-V cores: single precision, and the half formats of Zfh (FP16, or
// BF16 when cfg0.EnBFloat is set). Pure functions on bit patterns; no host floating point.
//
// How silicon differs from IEEE 754 (BabyRISCV/InstructionSet.md): always round to nearest even
// (fcvt to integer included), denormals are zero going in and flushed coming out, and the multiply-
// add is only partially fused: the product keeps 26 fraction bits and a sticky bit. Arithmetic NaNs
// are always the canonical one. Exception flags: riscv_float_flags.hpp.
#pragma once

#include "base/types.hpp"

namespace bhemu::numeric {

/// What the `.h` instructions work on: CSR cfg0, bits 30 and 31.
enum class HalfMode : u8 { Fp16, Bf16Truncate, Bf16Nearest };
constexpr HalfMode half_mode(u32 cfg0) {
  if ((cfg0 >> 30 & 1) == 0) return HalfMode::Fp16;
  return (cfg0 >> 31) != 0 ? HalfMode::Bf16Nearest : HalfMode::Bf16Truncate;
}

inline constexpr u32 kNanSingle = 0x7FC00000;
constexpr u32 nan_half(HalfMode mode) {
  return mode == HalfMode::Fp16 ? 0x7E00 : 0x7FC0;
}

/// A half value in a 32-bit register has the upper half all ones; anything else reads as NaN.
constexpr u32 box_half(u32 half) {
  return half | 0xFFFF0000;
}
constexpr u32 unbox_half(u32 value, HalfMode mode) {
  return (value >> 16) == 0xFFFF ? value & 0xFFFF : nan_half(mode);
}

/// x * y + z as the multiply-add unit computes it.
u32 riscv_mul_add(u32 x, u32 y, u32 z);
/// Widening is exact, except that denormals become zero and NaNs canonical.
u32 widen_half(u32 half, HalfMode mode);
u32 narrow_half(u32 single, HalfMode mode);
/// Round to odd (vfncvt.rod.f.f.w): truncate, then set the last bit if anything was lost.
u32 narrow_half_odd(u32 single, HalfMode mode);

/// One format's operations. Values are right-aligned bit patterns, never boxed. What an operation
/// raises is added to `flags`, if there are any.
class RiscvFloat {
 public:
  static constexpr RiscvFloat single(u32* flags = nullptr) {
    return RiscvFloat(true, HalfMode::Fp16, flags);
  }
  static constexpr RiscvFloat half(HalfMode mode, u32* flags = nullptr) {
    return RiscvFloat(false, mode, flags);
  }

  u32 add(u32 a, u32 b) const;
  u32 sub(u32 a, u32 b) const { return add(a, negate(b)); }
  u32 mul(u32 a, u32 b) const;
  u32 mul_add(u32 a, u32 b, u32 c) const;
  u32 min(u32 a, u32 b) const;
  u32 max(u32 a, u32 b) const;
  bool eq(u32 a, u32 b) const;
  bool lt(u32 a, u32 b) const;
  bool le(u32 a, u32 b) const;
  u32 negate(u32 a) const { return a ^ sign_; }
  u32 sgnj(u32 a, u32 b) const { return (a & ~sign_) | (b & sign_); }
  u32 sgnjn(u32 a, u32 b) const { return (a & ~sign_) | (~b & sign_); }
  u32 sgnjx(u32 a, u32 b) const { return a ^ (b & sign_); }
  u32 classify(u32 a) const;
  bool is_nan(u32 a) const { return (a & ~sign_) > infinity_; }

  /// To an integer of `width` bits (8, 16, 32), nearest even or (`truncate`) toward zero, clamped.
  u32 to_signed(u32 a, unsigned width, bool truncate = false) const;
  u32 to_unsigned(u32 a, unsigned width, bool truncate = false) const;
  u32 from_signed(i32 value) const;
  u32 from_unsigned(u32 value) const;

  /// Conversions as instructions; those of a single to a single are none.
  u32 to_single(u32 a) const;
  u32 from_single(u32 a) const;
  u32 from_single_odd(u32 a) const;

 private:
  constexpr RiscvFloat(bool single, HalfMode mode, u32* flags)
      : flags_(flags),
        single_(single),
        mode_(mode),
        sign_(single ? 0x80000000 : 0x8000),
        infinity_(single                   ? 0x7F800000
                  : mode == HalfMode::Fp16 ? 0x7C00
                                           : 0x7F80) {}
  i64 key(u32 a) const;  // total order: -0 just below +0
  bool is_signaling(u32 a) const;
  u32 widen(u32 a) const { return single_ ? a : widen_half(a, mode_); }
  u32 narrow(u32 a) const { return single_ ? a : narrow_half(a, mode_); }
  /// a * b + c with x, y and z for their values as singles.
  u32 finish(u32 x, u32 y, u32 z, bool signaling) const;
  u32 narrowed(u32 single, u32 half) const;
  bool equal(u32 a, u32 b) const;
  bool less(u32 a, u32 b) const;
  u32 extreme(u32 a, u32 b, bool larger) const;
  u32 from_integer(bool negative, u64 magnitude) const;
  void raise(u32 flags) const {
    if (flags_ != nullptr) *flags_ |= flags;
  }

  u32* flags_;
  bool single_;
  HalfMode mode_;
  u32 sign_;
  u32 infinity_;
};

}  // namespace bhemu::numeric
