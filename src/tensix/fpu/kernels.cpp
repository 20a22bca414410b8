// Matrix products in floating point; see kernels.hpp. How the roundings of
// numeric/fpu_arithmetic.hpp become vector operations:
//
// Products of a matrix instruction. A group needs, for every column, the sum over eight lanes of
// p = alpha * beta rounded to 2^d, ties away from zero, d being the distance to the group's largest
// exponent. Cells are floats in all but name, so alpha and beta come as floats that carry their
// exponents, and a running sum that starts at M = 1.5 * 2^23 units (a unit being 2^largest) rounds
// every product to whole units as it is added: |sum| <= 8 * 31 * 127 < 2^22 keeps it in one binade.
// The host rounds to even where silicon rounds away from zero; therefore beta is enlarged by the
// factor 1 + 2^-13. That moves p / 2^d away from zero by less than 2^-d / 2 (p <= 31 * 127 < 2^12),
// less than half the distance to any other multiple of 2^-d: with d > 0 a tie is a tie no more and
// nothing else crosses one (ties are multiples of 2^-d), with d = 0 nothing reaches one half. At
// d >= 13 the enlarged product is below 0.481 units and vanishes, as it should. A host without
// fused multiply-add rounds the enlarged product to 24 bits first; it needs at most 25, so that
// changes the excess by 2^-13 at most, where the excess is a quarter or more (p >= 2^11).
// The largest exponent of a group is never below zero_exponent (0, or in the 5-bit style with FP32
// below every product), so only lanes from -12 on count: with the scale chosen below, all of these
// are floats of sufficient precision, up to the limits that `prepare` checks. Beyond them, and for
// denormals that are kept, the same is done in integers, which takes about twice as long.
#include "tensix/fpu/kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensix/fpu/kernels.cpp"  // NOLINT
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "tensix/fpu/kernels-inl.hpp"
#include "tensix/fpu/kernels_bf16-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace bhemu::tensix::HWY_NAMESPACE {

constexpr i16 kNoExponent = -8192;

// --- Matrix product in integers: what floats cannot hold, and denormals kept. As the scalar code.

struct ExactOperands {
  alignas(64) i32 a[kRowDatums][kRowDatums];
  alignas(64) i32 exponent_a[kRowDatums][kRowDatums];
  alignas(64) i32 b[kMaxKernelRows][kRowDatums];
  alignas(64) i32 exponent_b[kMaxKernelRows][kRowDatums];
};

/// The signed slice; `exponent` is numeric::kZeroOperand if the cell counts as zero.
template <bool is_b>
HWY_INLINE V sliced(V cell, u32 phase, bool keep, V& exponent) {
  const V n = hn::Add(mantissa_of(cell), word(1024));
  V slice;
  if (is_b)
    slice = (phase & 2) == 0 ? shift_right<4>(n) : hn::ShiftLeft<3>(hn::And(n, word(15)));
  else
    slice = (phase & 1) == 0 ? shift_right<6>(n) : hn::And(shift_right<1>(n), word(31));
  const V e = exponent_of(cell);
  const auto zero = hn::Eq(hn::Or(e, word(keep ? 1 : 0)), hn::Zero(Words()));
  exponent = hn::IfThenElse(zero, hn::Set(Words(), numeric::kZeroOperand), e);
  return hn::IfThenZeroElse(zero, negate_where_negative(slice, cell));
}

HWY_INLINE void prepare_exactly(ExactOperands& out, const MatrixJob& job) {
  const Words dw;
  for (u32 k = 0; k < kRowDatums; ++k) {
    for (size_t j = 0; j < kRowDatums; j += hn::Lanes(dw)) {
      const V cell = hn::And(load_cells(job.a[k] + j), word(job.mask_a));
      V exponent;
      hn::Store(sliced<false>(cell, job.phase, false, exponent), dw, out.a[k] + j);
      hn::Store(exponent, dw, out.exponent_a[k] + j);
    }
  }
  for (u32 i = 0; i < job.dst.count; ++i) {
    for (size_t k = 0; k < kRowDatums; k += hn::Lanes(dw)) {
      const V cell = hn::And(load_cells(job.b[i] + k), word(job.mask_b));
      V exponent;
      hn::Store(sliced<true>(cell, job.phase, job.keep, exponent), dw, out.b[i] + k);
      hn::Store(exponent, dw, out.exponent_b[i] + k);
    }
  }
}

/// Twice the sum of lanes `first` to `first` + 7 of the group.
HWY_INLINE V exact_sum_of_group(const ExactOperands& operands, u32 row, u32 first, size_t j, V bias,
                                V zero_exponent, V& exponent) {
  const Words dw;
  const V zero = hn::Zero(dw);
  alignas(64) i32 lane_exponent[8][kRowDatums];
  V top = hn::Set(dw, numeric::kZeroOperand);
  for (u32 k = 0; k < 8; ++k) {
    const V eb = hn::Add(hn::Set(dw, operands.exponent_b[row][first + k]), bias);
    const V e = hn::Add(hn::Load(dw, operands.exponent_a[first + k] + j), eb);
    const auto none = hn::Lt(e, hn::Set(dw, numeric::kZeroOperand / 2));
    const V counted = hn::IfThenElse(none, zero_exponent, e);
    hn::Store(counted, dw, lane_exponent[k]);
    top = hn::Max(top, counted);
  }
  V sum = zero;
  for (u32 k = 0; k < 8; ++k) {
    const V product =
        hn::Mul(hn::Load(dw, operands.a[first + k] + j), hn::Set(dw, operands.b[row][first + k]));
    const V places = hn::Min(hn::Sub(top, hn::Load(dw, lane_exponent[k])), word(31));
    const V sign = hn::ShiftRight<31>(product);
    const V magnitude = rounded(hn::Abs(product), places);
    sum = hn::Add(sum, hn::Sub(hn::Xor(magnitude, sign), sign));
  }
  const auto counts = hn::Gt(top, zero);
  exponent = hn::IfThenElseZero(counts, top);
  return hn::IfThenElseZero(counts, hn::ShiftLeft<14>(sum));
}

template <DstKind kind>
HWY_INLINE void exact_products(const MatrixJob& job, const ExactOperands& operands) {
  const V bias = hn::Set(Words(), job.mode.product_bias(job.phase));
  const V zero_exponent = hn::Set(Words(), job.mode.zero_exponent(job.phase));
  for (u32 i = 0; i < job.dst.count; ++i) {
    for (size_t j = 0; j < kRowDatums; j += hn::Lanes(Words())) {
      V e0, e1;
      const V low = exact_sum_of_group(operands, i, 0, j, bias, zero_exponent, e0);
      const V high = exact_sum_of_group(operands, i, 8, j, bias, zero_exponent, e1);
      accumulate<kind>(job.dst, i, j, e0, low, e1, high);
    }
  }
}

void exact_matrix_kernel(const MatrixJob& job) {
  ExactOperands operands;
  prepare_exactly(operands, job);
  switch (job.mode.dst) {
    case DstKind::Fp32:
      exact_products<DstKind::Fp32>(job, operands);
      break;
    case DstKind::Bf16:
      exact_products<DstKind::Bf16>(job, operands);
      break;
    case DstKind::Fp16:
      exact_products<DstKind::Fp16>(job, operands);
      break;
  }
}

// --- Matrix product in floats ------------------------------------------------------------------

/// Of zero, an exponent that is below all others.
HWY_INLINE V known_exponent(V e) {
  return hn::IfThenElse(hn::Eq(e, hn::Zero(Words())), hn::Set(Words(), kNoExponent), e);
}

// If not both operands are narrow, exponents stand in halves of words.

struct WideExponents {
  alignas(64) u32 a[kRowDatums][kRowDatums];          // in both halves
  alignas(64) u32 b[kMaxKernelRows / 2][kRowDatums];  // of two rows, the even one below
};

/// The exponent of row `row`.
HWY_INLINE V known_exponent(const u32 (*exponents)[kRowDatums], u32 row, size_t j) {
  const V four = load_cells(exponents[row / 4] + j);
  const V places = hn::Set(Words(), static_cast<i32>(row % 4 * 8));
  return known_exponent(hn::And(shifted(four, places), word(0xFF)));
}

HWY_INLINE V in_halves(V low, V high) {
  return hn::Or(hn::And(low, word(0xFFFF)), hn::ShiftLeft<16>(high));
}

HWY_INLINE void widen(const ProductOperandA& a, const ProductOperandB& b, u32 rows, i32 bias,
                      WideExponents& out) {
  const Unsigned du;
  for (size_t j = 0; j < kRowDatums; j += hn::Lanes(du)) {
    for (u32 k = 0; k < kRowDatums; ++k) {
      const V e = known_exponent(a.exponents, k, j);
      hn::Store(hn::BitCast(du, in_halves(e, e)), du, out.a[k] + j);
    }
    const V more = hn::Set(Words(), bias);
    for (u32 i = 0; i < rows; i += 2) {
      const V low = hn::Add(known_exponent(b.exponents, i, j), more);
      const V high = hn::Add(known_exponent(b.exponents, i + 1, j), more);
      hn::Store(hn::BitCast(du, in_halves(low, high)), du, out.b[i / 2] + j);
    }
  }
}

#if HWY_TARGET == HWY_SCALAR
HWY_INLINE i32 half_of(V v, u32 shift) {
  return static_cast<i16>(static_cast<u32>(hn::GetLane(v)) >> shift);
}
HWY_INLINE V halves(i32 low, i32 high) {
  return word((static_cast<u32>(low) & 0xFFFF) | static_cast<u32>(high) << 16);
}
#endif

/// In each half of each word: the larger one.
HWY_INLINE V larger_half(V a, V b) {
#if HWY_TARGET == HWY_SCALAR
  return halves(HWY_MAX(half_of(a, 0), half_of(b, 0)), HWY_MAX(half_of(a, 16), half_of(b, 16)));
#else
  const hn::Repartition<i16, Words> d;
  return hn::BitCast(Words(), hn::Max(hn::BitCast(d, a), hn::BitCast(d, b)));
#endif
}

/// Likewise: the larger of `largest` and a + b.
HWY_INLINE V larger_sum(V largest, V a, V b) {
#if HWY_TARGET == HWY_SCALAR
  return larger_half(largest,
                     halves(half_of(a, 0) + half_of(b, 0), half_of(a, 16) + half_of(b, 16)));
#else
  const hn::Repartition<i16, Words> d;
  const V sum = hn::BitCast(Words(), hn::Add(hn::BitCast(d, a), hn::BitCast(d, b)));
  return larger_half(largest, sum);
#endif
}

/// Exponents and twice the sums of the groups of a product, by group and row of SrcB.
struct ProductSums {
  alignas(64) i32 exponent[2][kMaxKernelRows][kRowDatums];
  alignas(64) i32 twice[2][kMaxKernelRows][kRowDatums];
};

/// The largest exponents of lanes 8 * group to 8 * group + 7. SrcA's stay in registers while the
/// rows of SrcB pass by, two at a time: the even one in the lower halves.
HWY_INLINE void largest_exponents(const WideExponents& wide, u32 group, u32 rows, size_t j, V least,
                                  ProductSums& out) {
  const Words dw;
  const u32 first = 8 * group;
  const V a0 = load_cells(wide.a[first] + j);
  const V a1 = load_cells(wide.a[first + 1] + j);
  const V a2 = load_cells(wide.a[first + 2] + j);
  const V a3 = load_cells(wide.a[first + 3] + j);
  const V a4 = load_cells(wide.a[first + 4] + j);
  const V a5 = load_cells(wide.a[first + 5] + j);
  const V a6 = load_cells(wide.a[first + 6] + j);
  const V a7 = load_cells(wide.a[first + 7] + j);
  for (u32 row = 0; row < rows; row += 2) {
    const u32* const pair = wide.b[row / 2] + first;
    V even = larger_sum(least, a0, word(pair[0]));
    V odd = larger_sum(least, a1, word(pair[1]));
    even = larger_sum(even, a2, word(pair[2]));
    odd = larger_sum(odd, a3, word(pair[3]));
    even = larger_sum(even, a4, word(pair[4]));
    odd = larger_sum(odd, a5, word(pair[5]));
    even = larger_sum(even, a6, word(pair[6]));
    odd = larger_sum(odd, a7, word(pair[7]));
    const V largest = larger_half(even, odd);
    hn::Store(hn::ShiftRight<16>(hn::ShiftLeft<16>(largest)), dw, out.exponent[group][row] + j);
    hn::Store(hn::ShiftRight<16>(largest), dw, out.exponent[group][row + 1] + j);
  }
}

/// Twice the sums of the same lanes. `origin`: what is added to an exponent to get the float
/// exponent of M.
HWY_INLINE void sums_of_group(const ProductOperandA& a, const ProductOperandB& b, u32 phase,
                              u32 group, u32 rows, size_t j, V origin, ProductSums& out) {
  const Words dw;
  const Floats df;
  const auto& alpha = a.slice[phase & 1];
  const u32 first = 8 * group;
  const VF a0 = hn::Load(df, alpha[first] + j);
  const VF a1 = hn::Load(df, alpha[first + 1] + j);
  const VF a2 = hn::Load(df, alpha[first + 2] + j);
  const VF a3 = hn::Load(df, alpha[first + 3] + j);
  const VF a4 = hn::Load(df, alpha[first + 4] + j);
  const VF a5 = hn::Load(df, alpha[first + 5] + j);
  const VF a6 = hn::Load(df, alpha[first + 6] + j);
  const VF a7 = hn::Load(df, alpha[first + 7] + j);
  for (u32 row = 0; row < rows; ++row) {
    const float* const beta = b.slice[phase >> 1][row] + first;
    const V e = hn::Load(dw, out.exponent[group][row] + j);
    const V start = hn::Or(hn::ShiftLeft<23>(hn::Add(e, origin)), word(0x400000));
    VF sum = hn::MulAdd(a0, hn::Set(df, beta[0]), hn::BitCast(df, start));
    sum = hn::MulAdd(a1, hn::Set(df, beta[1]), sum);
    sum = hn::MulAdd(a2, hn::Set(df, beta[2]), sum);
    sum = hn::MulAdd(a3, hn::Set(df, beta[3]), sum);
    sum = hn::MulAdd(a4, hn::Set(df, beta[4]), sum);
    sum = hn::MulAdd(a5, hn::Set(df, beta[5]), sum);
    sum = hn::MulAdd(a6, hn::Set(df, beta[6]), sum);
    sum = hn::MulAdd(a7, hn::Set(df, beta[7]), sum);
    // Both are in one binade: the difference of the patterns is the sum in units.
    const V value = hn::ShiftLeft<14>(hn::Sub(hn::BitCast(dw, sum), start));
    hn::Store(hn::IfThenElseZero(hn::Gt(e, hn::Zero(dw)), value), dw, out.twice[group][row] + j);
  }
}

// An exponent beside which a term of a group becomes zero, whatever its value is: no exponent of
// Dst is below 0, and a shift by 32 places leaves nothing that rounds up.
constexpr i32 kVanishing = -64;

/// Of bytes, how much they are above kNarrowNone; 0: not at all.
HWY_INLINE V above_narrow_none(V v) {
#if HWY_TARGET == HWY_SCALAR
  return each_byte(v, v, [](u32 x, u32) { return x > kNarrowNone ? x - kNarrowNone : 0; });
#else
  const auto none = hn::Set(Bytes(), static_cast<u8>(kNarrowNone));
  return hn::BitCast(Words(), hn::SaturatedSub(bytes_of(v), none));
#endif
}

/// As `largest_exponents` and `sums_of_group` for operands that are narrow, four rows at a time.
/// `base`: what is added to a narrow exponent above kNarrowNone to get the exponent; `start`: to
/// that narrow exponent, 23 places to the left, to get M. Exponents that are not above `least` are
/// kVanishing, and what stands beside them is not a sum.
HWY_INLINE void narrow_group(const ProductOperandA& a, const ProductOperandB& b, u32 phase,
                             u32 group, u32 rows, size_t j, V base, V least, V start,
                             ProductSums& out) {
  const Words dw;
  const Floats df;
  const auto& alpha = a.slice[phase & 1];
  const u32 first = 8 * group;
  const auto exponents = [&](u32 k) HWY_ATTR { return load_cells(a.narrow[first + k] + j); };
  const VF a0 = hn::Load(df, alpha[first] + j);
  const VF a1 = hn::Load(df, alpha[first + 1] + j);
  const VF a2 = hn::Load(df, alpha[first + 2] + j);
  const VF a3 = hn::Load(df, alpha[first + 3] + j);
  const VF a4 = hn::Load(df, alpha[first + 4] + j);
  const VF a5 = hn::Load(df, alpha[first + 5] + j);
  const VF a6 = hn::Load(df, alpha[first + 6] + j);
  const VF a7 = hn::Load(df, alpha[first + 7] + j);
  for (u32 row = 0; row < rows; row += 4) {
    const u32* const four = b.narrow[row / 4] + first;
    V even = byte_sums(exponents(0), word(four[0]));
    V odd = byte_sums(exponents(1), word(four[1]));
    even = larger_bytes(even, byte_sums(exponents(2), word(four[2])));
    odd = larger_bytes(odd, byte_sums(exponents(3), word(four[3])));
    even = larger_bytes(even, byte_sums(exponents(4), word(four[4])));
    odd = larger_bytes(odd, byte_sums(exponents(5), word(four[5])));
    even = larger_bytes(even, byte_sums(exponents(6), word(four[6])));
    odd = larger_bytes(odd, byte_sums(exponents(7), word(four[7])));
    const V above = above_narrow_none(larger_bytes(even, odd));
    const auto start_of_row = [&](V narrow, u32 i) HWY_ATTR {
      const V e =
          hn::IfThenElse(hn::Gt(narrow, least), hn::Add(narrow, base), hn::Set(dw, kVanishing));
      hn::Store(e, dw, out.exponent[group][row + i] + j);
      return hn::BitCast(df, hn::Add(hn::ShiftLeft<23>(narrow), start));
    };
    VF sum0 = start_of_row(hn::And(above, word(0xFF)), 0);
    VF sum1 = start_of_row(hn::And(shift_right<8>(above), word(0xFF)), 1);
    VF sum2 = start_of_row(hn::And(shift_right<16>(above), word(0xFF)), 2);
    VF sum3 = start_of_row(shift_right<24>(above), 3);
    const float* const beta = b.slice[phase >> 1][row] + first;
    const auto add = [&](VF lane, u32 k) HWY_ATTR {
      sum0 = hn::MulAdd(lane, hn::Set(df, beta[k]), sum0);
      sum1 = hn::MulAdd(lane, hn::Set(df, beta[kRowDatums + k]), sum1);
      sum2 = hn::MulAdd(lane, hn::Set(df, beta[2 * kRowDatums + k]), sum2);
      sum3 = hn::MulAdd(lane, hn::Set(df, beta[3 * kRowDatums + k]), sum3);
    };
    add(a0, 0);
    add(a1, 1);
    add(a2, 2);
    add(a3, 3);
    add(a4, 4);
    add(a5, 5);
    add(a6, 6);
    add(a7, 7);
    // Of M nothing is left when its exponent and its highest fraction bit are gone.
    const auto keep = [&](VF sum, u32 i) HWY_ATTR {
      hn::Store(hn::ShiftLeft<14>(hn::BitCast(dw, sum)), dw, out.twice[group][row + i] + j);
    };
    keep(sum0, 0);
    keep(sum1, 1);
    keep(sum2, 2);
    keep(sum3, 3);
  }
}

template <DstKind kind>
HWY_INLINE void products(const MatrixJob& job, const ProductOperandA& a, const ProductOperandB& b) {
  const Words dw;
  const u32 zero_exponent = static_cast<u32>(job.mode.zero_exponent(job.phase));
  const V least = word(zero_exponent << 16 | zero_exponent);
  // alpha * beta units are 2^(s - 264) as floats, s the sum of the exponent fields (4 and 6 bits
  // below the hidden ones, twice the bias of 127), 2^24 and what exponents were moved by apart.
  // That holds in every phase: what product_bias subtracts for a slice the float has lost by
  // itself.
  const i32 unit =
      -job.mode.product_bias(0) - 264 + 24 + a.moved[job.phase & 1] + b.moved[job.phase >> 1];
  const V origin = hn::Set(dw, unit + 127 + 23);
  const u32 rows = job.dst.count;
  const bool narrow = a.is_narrow && b.is_narrow && zero_exponent == 0;
  const i32 base = a.largest + b.largest - (2 * kLargestNarrow - static_cast<i32>(kNarrowNone)) +
                   job.mode.product_bias(job.phase);
  const V narrow_base = hn::Set(dw, base);
  const V narrow_least = hn::Set(dw, base < 0 ? -base : 0);
  const V start = word(kNarrowNone << 23 | 0x400000);  // a short form is the field of M
  WideExponents wide;
  if (!narrow) widen(a, b, rows, job.mode.product_bias(job.phase), wide);
  ProductSums sums;
  for (size_t j = 0; j < kRowDatums; j += hn::Lanes(dw)) {
    for (u32 group = 0; group < 2; ++group) {
      if (narrow) {
        narrow_group(a, b, job.phase, group, rows, j, narrow_base, narrow_least, start, sums);
        continue;
      }
      largest_exponents(wide, group, rows, j, least, sums);
      sums_of_group(a, b, job.phase, group, rows, j, origin, sums);
    }
#if HWY_TARGET != HWY_SCALAR
    if (narrow && kind != DstKind::Fp32) {
      for (u32 i = 0; i < rows; i += 4)
        accumulate_four<kind>(job.dst, i, j, sums.exponent, sums.twice);
      continue;
    }
#endif
    for (u32 i = 0; i < rows; ++i)
      accumulate<kind>(job.dst, i, j, hn::Load(dw, sums.exponent[0][i] + j),
                       hn::Load(dw, sums.twice[0][i] + j), hn::Load(dw, sums.exponent[1][i] + j),
                       hn::Load(dw, sums.twice[1][i] + j));
  }
}

/// False: an exponent is too large for floats.
bool prepared_product(const MatrixJob& job, const ProductOperandA& a, const ProductOperandB& b) {
  const i32 top_a = a.largest + a.moved[job.phase & 1];
  const i32 top_b = b.largest + b.moved[job.phase >> 1];
  if (top_a > 240 || top_b > 220 || top_a + top_b > 330) return false;
  switch (job.mode.dst) {
    case DstKind::Fp32:
      products<DstKind::Fp32>(job, a, b);
      break;
    case DstKind::Bf16:
      products<DstKind::Bf16>(job, a, b);
      break;
    case DstKind::Fp16:
      products<DstKind::Fp16>(job, a, b);
      break;
  }
  return true;
}

u32 narrow_products(ProductSources& sources, const NarrowProduct* list, ProductChain* chains,
                    u32 count) {
  u32 done = 0;
#if HWY_TARGET == HWY_SCALAR
  static_cast<void>(sources);
  static_cast<void>(list);
  while (done < count && chains[done].first == ProductChain::kNone) ++done;
#else
  while (done < count && ChainOfProducts(sources, list, chains[done]).multiply()) ++done;
#endif
  return done;
}

bool matrix_kernel(const MatrixJob& job) {
  if (!job.keep) {
    ProductOperandA a;
    ProductOperandB b;
    prepare_operands(job, a, b);
    if (prepared_product(job, a, b)) return true;
  }
  exact_matrix_kernel(job);
  return false;
}

}  // namespace bhemu::tensix::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bhemu::tensix {

HWY_EXPORT(matrix_kernel);

bool run_matrix_kernel(const MatrixJob& job) {
  return HWY_DYNAMIC_DISPATCH(matrix_kernel)(job);
}

HWY_EXPORT(prepared_product);

bool run_prepared_product(const MatrixJob& job, const ProductOperandA& a,
                          const ProductOperandB& b) {
  return HWY_DYNAMIC_DISPATCH(prepared_product)(job, a, b);
}

HWY_EXPORT(narrow_products);

u32 run_narrow_products(ProductSources& sources, const NarrowProduct* list, ProductChain* chains,
                        u32 count) {
  return HWY_DYNAMIC_DISPATCH(narrow_products)(sources, list, chains, count);
}

}  // namespace bhemu::tensix
#endif
