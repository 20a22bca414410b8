#include "numeric/fpu_arithmetic.hpp"

#include <algorithm>

namespace bhemu::numeric {
namespace {

constexpr i32 signed_by(u32 cell, i32 magnitude) {
  return cell_negative(cell) ? -magnitude : magnitude;
}

}  // namespace

FpuTerm elementwise_product(u32 a, u32 b, FpuMode mode, u32 phase, bool keep) {
  const FpuTerm zero{mode.zero_exponent(phase), 0};
  if (cell_exponent(a) == 0 || (cell_exponent(b) == 0 && !keep)) return zero;
  const i32 exponent =
      static_cast<i32>(cell_exponent(a) + cell_exponent(b)) + mode.product_bias(phase);
  if (exponent <= 0) return zero;
  const i32 product = slice_a(a, phase) * slice_b(b, phase);
  return {exponent, signed_by(a ^ b, product) * 8192};
}

FpuTerm elementwise_sum(u32 a, u32 b, FpuMode mode, u32 phase, bool keep) {
  const bool b_zero = cell_exponent(b) == 0 && !keep;
  u32 x = cell_exponent(a) == 0 ? 0 : a;
  u32 y = b_zero ? 0 : b;
  i32 x_value = x == 0 ? 0 : signed_by(x, static_cast<i32>(1024 + cell_mantissa(x)));
  i32 y_value = b_zero ? 0 : signed_by(y, static_cast<i32>(1024 + cell_mantissa(y)));
  if (cell_exponent(x) < cell_exponent(y)) {
    std::swap(x, y);
    std::swap(x_value, y_value);
  }
  const i32 exponent = static_cast<i32>(cell_exponent(x));
  y_value = round_away(y_value, exponent - static_cast<i32>(cell_exponent(y)));
  FpuTerm term{exponent, (x_value + y_value) * 8192};
  if (mode.five_bit && mode.dst == DstKind::Fp32)
    term.exponent = exponent > 0 ? exponent + 112 : 97;
  term.exponent -= 5 * static_cast<i32>(phase & 1) + 7 * static_cast<i32>(phase >> 1);
  return term;
}

void prepare_operand_a(MatrixOperandA& out, const u32* const rows[16], u32 mask, u32 phase) {
  for (u32 k = 0; k < 16; ++k) {
    for (u32 j = 0; j < 16; ++j) {
      const u32 cell = rows[k][j] & mask;
      const bool zero = cell_exponent(cell) == 0;
      out.exponent[k][j] = zero ? kZeroOperand : static_cast<i32>(cell_exponent(cell));
      out.slice[k][j] = zero ? 0.f : static_cast<float>(signed_by(cell, slice_a(cell, phase)));
    }
  }
}

void prepare_operand_b(MatrixOperandB& out, const u32* row, u32 mask, u32 phase, bool keep) {
  for (u32 k = 0; k < 16; ++k) {
    const u32 cell = row[k] & mask;
    const bool zero = cell_exponent(cell) == 0 && !keep;
    out.exponent[k] = zero ? kZeroOperand : static_cast<i32>(cell_exponent(cell));
    out.slice[k] = zero ? 0.f : static_cast<float>(signed_by(cell, slice_b(cell, phase)));
  }
}

namespace {

/// product / 2^places to nearest, ties away from zero. Floats, so that the loop over columns
/// vectorises everywhere; every step is exact, so the host's rounding mode plays no part: the
/// product has at most 12 bits, and with 12 places and the half added spans 24. At 13 places and
/// beyond it is less than a half.
i32 aligned_product(float product, i32 places) {
  const u32 d = static_cast<u32>(places < 13 ? places : 13);
  const float scaled = product * std::bit_cast<float>((127 - d) << 23);
  const float half = std::bit_cast<float>((std::bit_cast<u32>(scaled) & 0x80000000) | 0x3F000000);
  return static_cast<i32>(scaled + half);
}

/// The eight lanes from `first` on, for all columns: their largest exponent and aligned sum.
void sum_group(i32* exponent, i32* value, const MatrixOperandA& a, const MatrixOperandB& b,
               u32 first, i32 bias, i32 zero_exponent) {
  alignas(64) i32 e[8][16];
  std::fill_n(exponent, 16, kZeroOperand);
  for (u32 k = 0; k < 8; ++k) {
    const i32 eb = b.exponent[first + k] + bias;
    for (u32 j = 0; j < 16; ++j) {
      const i32 sum = a.exponent[first + k][j] + eb;
      // A lane with a zero operand counts as exponent `zero_exponent`.
      e[k][j] = sum < kZeroOperand / 2 ? zero_exponent : sum;
      exponent[j] = std::max(exponent[j], e[k][j]);
    }
  }
  std::fill_n(value, 16, 0);
  for (u32 k = 0; k < 8; ++k) {
    for (u32 j = 0; j < 16; ++j)
      value[j] +=
          aligned_product(a.slice[first + k][j] * b.slice[first + k], exponent[j] - e[k][j]);
  }
  for (u32 j = 0; j < 16; ++j) {
    const bool vanishes = exponent[j] <= 0;
    exponent[j] = vanishes ? 0 : exponent[j];
    value[j] = vanishes ? 0 : value[j] * 8192;
  }
}

}  // namespace

void matrix_product_row(u32* dst, const MatrixOperandA& a, const MatrixOperandB& b, FpuMode mode,
                        u32 phase) {
  alignas(64) i32 exponent[2][16];
  alignas(64) i32 value[2][16];
  const i32 bias = mode.product_bias(phase);
  const i32 zero = mode.zero_exponent(phase);
  sum_group(exponent[0], value[0], a, b, 0, bias, zero);
  sum_group(exponent[1], value[1], a, b, 8, bias, zero);
  for (u32 j = 0; j < 16; ++j)
    dst[j] = accumulate(mode.dst, term_of_dst(mode.dst, dst[j]), {exponent[0][j], value[0][j]},
                        {exponent[1][j], value[1][j]});
}

i32 integer_slice(u32 cell, u32 mask, bool keep) {
  if (cell_exponent(cell) == 0 && !keep) return 0;
  return signed_by(cell, static_cast<i32>(cell_mantissa(cell) & mask));
}

i32 integer_operand(u32 cell, bool keep) {
  return integer_slice(cell, 0x3FF, keep);
}

u32 integer_accumulate(u32 old, i64 sum) {
  const i64 magnitude = old & 0x7FFFFFFF;
  const i64 total =
      std::clamp<i64>(((old >> 31) != 0 ? -magnitude : magnitude) + sum, -0x7FFFFFFF, 0x7FFFFFFF);
  return total < 0 ? 0x80000000u | static_cast<u32>(-total) : static_cast<u32>(total);
}

}  // namespace bhemu::numeric
