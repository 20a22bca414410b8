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

HWY_BEFORE_NAMESPACE();
namespace bhemu::tensix::HWY_NAMESPACE {

using Shorts = hn::CappedTag<i16, kRowDatums>;
constexpr i16 kNoExponent = -8192;

// --- Matrix product ----------------------------------------------------------------------------

struct Operands {
  alignas(64) float a[kRowDatums][kRowDatums];
  alignas(64) i16 exponent_a[kRowDatums][kRowDatums];
  alignas(64) float b[kMaxKernelRows][kRowDatums];
  alignas(64) i32 exponent_b[kMaxKernelRows][kRowDatums];  // twice, in both halves
};

/// What is taken of a cell: the bits of `all` less those of `upper` (none: 0).
struct SliceMask {
  u32 all;
  u32 upper;
};
constexpr SliceMask slice_mask_a(u32 phase) {
  return (phase & 1) == 0 ? SliceMask{0xFFF80000, 0} : SliceMask{0xFFFFC000, 0xFFF80000};
}
constexpr SliceMask slice_mask_b(u32 phase) {
  return (phase & 2) == 0 ? SliceMask{0xFFFE0000, 0} : SliceMask{0xFFFFFFFF, 0xFFFE0000};
}

/// The signed slice as a float; 5-bit exponents are moved up out of the way of underflow.
HWY_INLINE VF slice_of(V cell, SliceMask mask, V rebias) {
  const Floats df;
  const auto zero = hn::Eq(hn::And(cell, word(0x7F800000)), hn::Zero(Words()));
  const V moved = hn::IfThenZeroElse(zero, hn::Add(cell, rebias));
  const VF all = hn::BitCast(df, hn::And(moved, word(mask.all)));
  if (mask.upper == 0) return all;
  return hn::Sub(all, hn::BitCast(df, hn::And(moved, word(mask.upper))));
}

constexpr u32 rebias_of(const numeric::FpuMode& mode) {
  return mode.five_bit ? 96 : 0;
}

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

/// Prepares everything; false if an exponent is too large for floats.
HWY_INLINE bool prepare(Operands& out, const MatrixJob& job) {
  const Words dw;
  const Floats df;
  const V rebias = word(rebias_of(job.mode) << 23);
  V top_a = hn::Zero(dw);
  V top_b = hn::Zero(dw);
  const SliceMask slice_a = slice_mask_a(job.phase);
  const SliceMask slice_b = slice_mask_b(job.phase);
  for (u32 k = 0; k < kRowDatums; ++k) {
    for (size_t j = 0; j < kRowDatums; j += hn::Lanes(dw)) {
      const V cell = hn::And(load_cells(job.a[k] + j), word(job.mask_a));
      const V e = exponent_of(cell);
      top_a = hn::Max(top_a, e);
      hn::StoreU(slice_of(cell, slice_a, rebias), df, out.a[k] + j);
      const V known = hn::IfThenElse(hn::Eq(e, hn::Zero(dw)), hn::Set(dw, kNoExponent), e);
      const hn::Rebind<i16, Words> d16;
      hn::StoreU(hn::DemoteTo(d16, known), d16, out.exponent_a[k] + j);
    }
  }
  // 2^24 keeps small products normal; see the top of the file for the rest.
  const VF enlarge = hn::Set(df, 16777216.f + 2048.f);
  const V bias = hn::Set(dw, job.mode.product_bias(job.phase));
  for (u32 i = 0; i < job.dst.count; ++i) {
    for (size_t k = 0; k < kRowDatums; k += hn::Lanes(dw)) {
      const V cell = hn::And(load_cells(job.b[i] + k), word(job.mask_b));
      const V e = exponent_of(cell);
      top_b = hn::Max(top_b, e);
      hn::StoreU(hn::Mul(slice_of(cell, slice_b, rebias), enlarge), df, out.b[i] + k);
      const V known =
          hn::IfThenElse(hn::Eq(e, hn::Zero(dw)), hn::Set(dw, kNoExponent), hn::Add(e, bias));
      const V twice = hn::Or(hn::And(known, word(0xFFFF)), hn::ShiftLeft<16>(known));
      hn::StoreU(twice, dw, out.exponent_b[i] + k);
    }
  }
  const i32 a = hn::GetLane(hn::MaxOfLanes(dw, top_a));
  const i32 b = hn::GetLane(hn::MaxOfLanes(dw, top_b));
  return a <= 240 && b <= 220 && a + b <= 330;
}

/// Both halves of `twice` hold the number: 32-bit words are cheaper to broadcast.
HWY_INLINE hn::Vec<Shorts> broadcast_exponent(i32 twice) {
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(Shorts(), static_cast<i16>(twice));
#else
  return hn::BitCast(Shorts(), hn::Set(hn::Repartition<i32, Shorts>(), twice));
#endif
}

/// The largest exponents of lanes `first` to `first` + 7.
HWY_INLINE void largest_exponents(i16* out, const Operands& operands, u32 row, u32 first,
                                  i32 zero_exponent) {
  const Shorts d;
  for (size_t j = 0; j < kRowDatums; j += hn::Lanes(d)) {
    auto e = hn::Set(d, static_cast<i16>(zero_exponent));
    for (u32 k = first; k < first + 8; ++k) {
      const auto eb = broadcast_exponent(operands.exponent_b[row][k]);
      e = hn::Max(e, hn::Add(hn::Load(d, operands.exponent_a[k] + j), eb));
    }
    hn::Store(e, d, out + j);
  }
}

/// Twice the sum of a group. `origin`: what is added to an exponent to get the float exponent of M.
HWY_INLINE V sum_of_group(const Operands& operands, u32 row, u32 first, size_t j, V e, V origin) {
  const Words dw;
  const Floats df;
  const V start = hn::Or(hn::ShiftLeft<23>(hn::Add(e, origin)), word(0x400000));
  VF sum = hn::BitCast(df, start);
  for (u32 k = first; k < first + 8; ++k)
    sum = hn::MulAdd(hn::Load(df, operands.a[k] + j), hn::Set(df, operands.b[row][k]), sum);
  // Both are in one binade: the difference of the patterns is the sum in units.
  const V value = hn::ShiftLeft<14>(hn::Sub(hn::BitCast(dw, sum), start));
  return hn::IfThenElseZero(hn::Gt(e, hn::Zero(dw)), value);
}

template <DstKind kind>
HWY_INLINE void products(const MatrixJob& job, const Operands& operands) {
  const i32 zero_exponent = job.mode.zero_exponent(job.phase);
  // alpha * beta units are 2^(s - 264) as floats, s the sum of the exponent fields (4 and 6 bits
  // below the hidden ones, twice the bias of 127), 2^24 and the rebias apart. That holds in every
  // phase: what product_bias subtracts for a slice the float has lost by itself.
  const i32 unit = -job.mode.product_bias(0) - 264 + 24 + 2 * static_cast<i32>(rebias_of(job.mode));
  const V origin = hn::Set(Words(), unit + 127 + 23);
  const hn::Rebind<i16, Words> d16;
  for (u32 i = 0; i < job.dst.count; ++i) {
    alignas(64) i16 exponents[2][kRowDatums];
    largest_exponents(exponents[0], operands, i, 0, zero_exponent);
    largest_exponents(exponents[1], operands, i, 8, zero_exponent);
    for (size_t j = 0; j < kRowDatums; j += hn::Lanes(Words())) {
      const V e0 = hn::PromoteTo(Words(), hn::LoadU(d16, exponents[0] + j));
      const V e1 = hn::PromoteTo(Words(), hn::LoadU(d16, exponents[1] + j));
      const V low = sum_of_group(operands, i, 0, j, e0, origin);
      const V high = sum_of_group(operands, i, 8, j, e1, origin);
      accumulate<kind>(job.dst, i, j, e0, low, e1, high);
    }
  }
}

bool matrix_kernel(const MatrixJob& job) {
  Operands operands;
  if (job.keep || !prepare(operands, job)) {
    exact_matrix_kernel(job);
    return false;
  }
  switch (job.mode.dst) {
    case DstKind::Fp32:
      products<DstKind::Fp32>(job, operands);
      break;
    case DstKind::Bf16:
      products<DstKind::Bf16>(job, operands);
      break;
    case DstKind::Fp16:
      products<DstKind::Fp16>(job, operands);
      break;
  }
  return true;
}

}  // namespace bhemu::tensix::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bhemu::tensix {

HWY_EXPORT(matrix_kernel);

bool run_matrix_kernel(const MatrixJob& job) {
  return HWY_DYNAMIC_DISPATCH(matrix_kernel)(job);
}

}  // namespace bhemu::tensix
#endif
