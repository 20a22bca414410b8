// Arithmetic of the matrix unit on single datums: operand slices, the accumulate step, and the
// element-wise operations. Pure integer functions, no host floating point.
//
// How silicon differs from IEEE 754: exponents of all ones are ordinary numbers, denormals are
// zero, results are never -0 nor NaN, and products are summed after alignment to the largest
// exponent with several roundings. tt-isa-documentation (ELWMUL.md, MVMUL.md) gives the shape;
// the roundings are those of tenstorrent/ttsim 1.10.0, found by experiment and compared on 2.6
// million operand sets. No card measurement has confirmed the tie directions.
#pragma once

#include <bit>

#include "base/types.hpp"

namespace bhemu::numeric {

/// Fields of a Src cell: s << 31 | e(8) << 23 | m(10) << 13.
constexpr u32 cell_exponent(u32 cell) {
  return (cell >> 23) & 0xFF;
}
constexpr u32 cell_mantissa(u32 cell) {
  return (cell >> 13) & 0x3FF;
}
constexpr bool cell_negative(u32 cell) {
  return (cell >> 31) != 0;
}

/// What part of a cell a format uses.
inline constexpr u32 kCellAll = 0xFFFFE000;
inline constexpr u32 kCellBf16 = 0xFFFF0000;  // m[2:0] are not there
inline constexpr u32 kCellFp16 = 0x8FFFE000;  // e[7:5] are not there

/// How Dst holds numbers.
enum class DstKind : u8 { Fp32, Bf16, Fp16 };

/// Style of the sources (5-bit or 8-bit exponent) and kind of Dst, and what follows from them.
struct FpuMode {
  bool five_bit = false;
  DstKind dst = DstKind::Fp32;

  bool operator==(const FpuMode&) const = default;

  /// Exponent of a product is e_A + e_B + product_bias(phase). The lower slices of a mantissa
  /// appear as a correction of 5 (SrcA) and 7 (SrcB).
  constexpr i32 product_bias(u32 phase) const {
    const i32 bias = !five_bit ? -127 : dst == DstKind::Fp32 ? 97 : -15;
    return bias - 5 * static_cast<i32>(phase & 1) - 7 * static_cast<i32>(phase >> 1);
  }
  /// Exponent of a term whose operand is zero.
  constexpr i32 zero_exponent(u32 phase) const {
    const i32 bias = product_bias(phase);
    return bias > 0 ? bias : 0;
  }
};

/// x / 2^places to nearest, ties towards +infinity. |x| < 2^30.
constexpr i32 round_up(i32 x, i32 places) {
  if (places <= 0) return x;
  const i32 d = places < 31 ? places : 31;
  return (x + static_cast<i32>(1u << (d - 1))) >> d;
}

/// x / 2^places to nearest, ties away from zero. |x| < 2^30.
constexpr i32 round_away(i32 x, i32 places) {
  if (places <= 0) return x;
  const u32 d = places < 31 ? static_cast<u32>(places) : 31;
  const u32 magnitude = (static_cast<u32>(x < 0 ? -x : x) + (1u << (d - 1))) >> d;
  return x < 0 ? -static_cast<i32>(magnitude) : static_cast<i32>(magnitude);
}

/// The slices of the mantissas that phase `phase` multiplies, hidden one included.
constexpr i32 slice_a(u32 cell, u32 phase) {
  const u32 n = 1024 + cell_mantissa(cell);
  return static_cast<i32>((phase & 1) == 0 ? n >> 6 : (n >> 1) & 31);
}
constexpr i32 slice_b(u32 cell, u32 phase) {
  const u32 n = 1024 + cell_mantissa(cell);
  return static_cast<i32>((phase & 2) == 0 ? n >> 4 : (n & 15) << 3);
}

/// A number on its way into Dst: value * 2^(exponent - 23), in units of the Dst exponent.
struct FpuTerm {
  i32 exponent = 0;
  i32 value = 0;
};

/// The integer value (2^23 is 1.0) and exponent of a Dst word in IEEE order; FP16 in the low half.
constexpr FpuTerm term_of_dst(DstKind kind, u32 word) {
  u32 exponent = 0;
  u32 fraction = 0;
  u32 sign = 0;
  switch (kind) {
    case DstKind::Fp32:
      exponent = (word >> 23) & 0xFF;
      fraction = word & 0x7FFFFF;
      sign = word >> 31;
      break;
    case DstKind::Bf16:
      exponent = (word >> 7) & 0xFF;
      fraction = (word & 0x7F) << 16;
      sign = (word >> 15) & 1;
      break;
    case DstKind::Fp16:
      exponent = (word >> 10) & 0x1F;
      fraction = (word & 0x3FF) << 13;
      sign = (word >> 15) & 1;
      break;
  }
  if (exponent == 0) return {};
  const i32 magnitude = static_cast<i32>(0x800000 + fraction);
  return {static_cast<i32>(exponent), sign != 0 ? -magnitude : magnitude};
}

/// Normalises, rounds (ties away from zero) and encodes. Overflow of FP16 saturates at 7FFF, the
/// others become infinity; underflow is +0.
constexpr u32 encode_dst(DstKind kind, i32 exponent, i32 sum) {
  if (sum == 0) return 0;
  const u32 magnitude = static_cast<u32>(sum < 0 ? -sum : sum);
  const u32 sign = sum < 0 ? 1 : 0;
  const i32 precision = kind == DstKind::Fp32 ? 24 : kind == DstKind::Bf16 ? 8 : 11;
  const i32 top = static_cast<i32>(std::bit_width(magnitude)) - 1;
  const i32 shift = top + 1 - precision;
  u32 q = shift > 0 ? (magnitude + (1u << (shift - 1))) >> shift : magnitude << -shift;
  i32 e = exponent + top - 23;
  if (q == 1u << precision) {
    q >>= 1;
    ++e;
  }
  if (e <= 0) return 0;
  const u32 fraction = q & ((1u << (precision - 1)) - 1);
  switch (kind) {
    case DstKind::Fp32:
      return sign << 31 | (e >= 255 ? 0x7F800000 : static_cast<u32>(e) << 23 | fraction);
    case DstKind::Bf16:
      return sign << 15 | (e >= 255 ? 0x7F80 : static_cast<u32>(e) << 7 | fraction);
    default:
      return sign << 15 | (e >= 32 ? 0x7FFF : static_cast<u32>(e) << 10 | fraction);
  }
}

/// A term or Dst aligned to exponent `to`; a 16-bit Dst rounds a second time, to 2^13.
constexpr i32 align_term(DstKind kind, const FpuTerm& term, i32 to) {
  const i32 t = round_up(term.value, to - term.exponent);
  return kind == DstKind::Fp32 ? t : round_up(t, 13) * 8192;
}
constexpr i32 align_dst(DstKind kind, const FpuTerm& term, i32 to) {
  const i32 t = round_away(term.value, to - term.exponent);
  return kind == DstKind::Fp32 ? t : round_away(t, 13) * 8192;
}

/// Dst + term. For Dst = term pass an empty FpuTerm as `old`.
constexpr u32 accumulate(DstKind kind, const FpuTerm& old, const FpuTerm& term) {
  i32 e = old.exponent > term.exponent ? old.exponent : term.exponent;
  if (e <= 0) return 0;
  return encode_dst(kind, e, align_dst(kind, old, e) + align_term(kind, term, e));
}
/// Dst + the two groups of eight lanes of a matrix product.
constexpr u32 accumulate(DstKind kind, const FpuTerm& old, const FpuTerm& low,
                         const FpuTerm& high) {
  i32 e = old.exponent > low.exponent ? old.exponent : low.exponent;
  if (high.exponent > e) e = high.exponent;
  if (e <= 0) return 0;
  return encode_dst(kind, e,
                    align_dst(kind, old, e) + align_term(kind, low, e) + align_term(kind, high, e));
}

/// What ELWMUL adds to Dst. With `keep`, a SrcB cell of exponent 0 takes part with its hidden one.
FpuTerm elementwise_product(u32 a, u32 b, FpuMode mode, u32 phase, bool keep);
/// What ELWADD (and, with the sign of b flipped, ELWSUB) writes or adds to Dst.
FpuTerm elementwise_sum(u32 a, u32 b, FpuMode mode, u32 phase, bool keep);

/// Sixteen rows of SrcA with everything that one phase of a matrix product needs of them.
struct MatrixOperandA {
  alignas(64) i32 exponent[16][16];  // e_A; kZeroOperand where the operand is zero
  alignas(64) float slice[16][16];   // signed slice, 0 where the operand is zero
};
/// One row of SrcB for one phase. Slices have at most 5 and 7 bits: floats hold them exactly.
struct MatrixOperandB {
  i32 exponent[16];
  float slice[16];
};
inline constexpr i32 kZeroOperand = -100000;

/// `mask` is one of kCell...
void prepare_operand_a(MatrixOperandA& out, const u32* const rows[16], u32 mask, u32 phase);
void prepare_operand_b(MatrixOperandB& out, const u32* row, u32 mask, u32 phase, bool keep);

/// One row of Dst (IEEE order, right-aligned) += B row times A.
void matrix_product_row(u32* dst, const MatrixOperandA& a, const MatrixOperandB& b, FpuMode mode,
                        u32 phase);

// --- Integer mode (INT8 math): sources are sign and 10-bit magnitude, Dst sign and 31-bit
// magnitude. A source with exponent field 0 is 0.
i32 integer_operand(u32 cell, bool keep = false);
/// The bits of a SrcA or SrcB magnitude that a phase multiplies; slices add up without shifting.
constexpr u32 integer_slice_mask_a(u32 phase) {
  return (phase & 1) == 0 ? 0x0E0 : 0x01F;
}
constexpr u32 integer_slice_mask_b(u32 phase) {
  return (phase & 2) == 0 ? 0x3F0 : 0x00F;
}
i32 integer_slice(u32 cell, u32 mask, bool keep = false);
/// Sign-magnitude old + sum, clamped to +-(2^31 - 1), as sign-magnitude; zero is +0.
u32 integer_accumulate(u32 old, i64 sum);

}  // namespace bhemu::numeric
