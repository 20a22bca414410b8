// Element-wise operations, and integer mode; see kernels.hpp.
#include "tensix/fpu/kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensix/fpu/kernels_elementwise.cpp"  // NOLINT
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "tensix/fpu/kernels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace bhemu::tensix::HWY_NAMESPACE {

// --- Element-wise operations -------------------------------------------------------------------

/// Of factors whose product is below 2^15: the lower halves of the words are all of it.
HWY_INLINE V small_product(V a, V b) {
#if HWY_TARGET == HWY_SCALAR
  return hn::Mul(a, b);
#else
  const hn::Repartition<i16, Words> d16;
  return hn::BitCast(Words(), hn::Mul(hn::BitCast(d16, a), hn::BitCast(d16, b)));
#endif
}

/// What is the same for all rows. The compiler must suppose that stores to Dst change the job.
struct ElementwiseSetup {
  u32 mask_a;
  u32 mask_b;
  u32 sign;           // flips SrcB
  u32 present_b;      // or-ed to what must not be zero for SrcB to count
  i32 bias;           // of products
  i32 zero_exponent;  // of products
  u32 zero_sum;       // of sums
  u32 rebias;         // of sums
  u32 phase_shift;    // of sums
  bool low_a;
  bool low_b;
  bool broadcast_column;
};

HWY_INLINE ElementwiseSetup setup_of(const ElementwiseJob& job) {
  const bool moves_up = job.mode.five_bit && job.mode.dst == DstKind::Fp32;
  return {job.mask_a,
          job.mask_b,
          job.kind == Elementwise::Sub ? 0x80000000 : 0,
          job.keep ? 1u : 0u,
          job.mode.product_bias(job.phase),
          job.mode.zero_exponent(job.phase),
          moves_up ? 97u : 0u,
          moves_up ? 112u : 0u,
          5 * (job.phase & 1) + 7 * (job.phase >> 1),
          (job.phase & 1) != 0,
          (job.phase & 2) != 0,
          job.broadcast_column};
}

/// elementwise_product for a row: twice the value.
HWY_INLINE V product_term(V a, V b, const ElementwiseSetup& setup, V& exponent) {
  const Words dw;
  const V zero = hn::Zero(dw);
  const V na = hn::Add(mantissa_of(a), word(1024));
  const V nb = hn::Add(mantissa_of(b), word(1024));
  const V alpha = setup.low_a ? hn::And(shift_right<1>(na), word(31)) : shift_right<6>(na);
  const V beta = setup.low_b ? hn::ShiftLeft<3>(hn::And(nb, word(15))) : shift_right<4>(nb);
  V value = small_product(alpha, beta);
  value = negate_where_negative(hn::ShiftLeft<14>(value), hn::Xor(a, b));
  const V ea = exponent_of(a);
  const V eb = exponent_of(b);
  const V e = hn::Add(hn::Add(ea, eb), hn::Set(dw, setup.bias));
  const auto counts = hn::And(hn::And(hn::Gt(ea, zero), hn::Gt(e, zero)),
                              hn::Gt(hn::Or(eb, word(setup.present_b)), zero));
  exponent = hn::IfThenElse(counts, e, hn::Set(dw, setup.zero_exponent));
  return hn::IfThenElseZero(counts, value);
}

/// elementwise_sum for a row. Both operands are shifted to the larger exponent, the one that has
/// it by nothing. Twice the value.
HWY_INLINE V sum_term(V a, V b, const ElementwiseSetup& setup, V& exponent) {
  const V zero = hn::Zero(Words());
  const V ea = exponent_of(a);
  const V eb = exponent_of(b);
  const V ma = mantissa_of(a);
  const V mb = mantissa_of(b);
  const V b_present = hn::Or(eb, word(setup.present_b));
  const V na = hn::IfThenElseZero(hn::Gt(ea, zero), hn::Add(ma, word(1024)));
  const V nb = hn::IfThenElseZero(hn::Gt(b_present, zero), hn::Add(mb, word(1024)));
  const V top = hn::Max(ea, eb);
  const V x = negate_where_negative(rounded(na, hn::Sub(top, ea)), a);
  const V y = negate_where_negative(rounded(nb, hn::Sub(top, eb)), b);
  const V e =
      hn::IfThenElse(hn::Gt(top, zero), hn::Add(top, word(setup.rebias)), word(setup.zero_sum));
  exponent = hn::Sub(e, word(setup.phase_shift));
  return hn::ShiftLeft<14>(hn::Add(x, y));
}

HWY_INLINE V load_a(const ElementwiseJob& job, const ElementwiseSetup& setup, u32 row, size_t j) {
  return hn::And(load_cells(job.a[row] + j), word(setup.mask_a));
}
HWY_INLINE V load_b(const ElementwiseJob& job, const ElementwiseSetup& setup, u32 row, size_t j) {
  const V b = setup.broadcast_column ? word(job.b[row][0]) : load_cells(job.b[row] + j);
  return hn::And(hn::Xor(b, word(setup.sign)), word(setup.mask_b));
}

template <DstKind kind, bool product>
HWY_INLINE void elementwise_rows(const ElementwiseJob& job) {
  const ElementwiseSetup setup = setup_of(job);
  const u32 count = job.dst.count;
  for (u32 i = 0; i < count; ++i) {
    for (size_t j = 0; j < kRowDatums; j += hn::Lanes(Words())) {
      const V a = load_a(job, setup, i, j);
      const V b = load_b(job, setup, i, j);
      V exponent;
      const V twice =
          product ? product_term(a, b, setup, exponent) : sum_term(a, b, setup, exponent);
      accumulate<kind>(job.dst, i, j, exponent, twice);
    }
  }
}

template <DstKind kind>
HWY_INLINE void elementwise_of_kind(const ElementwiseJob& job) {
  if (job.kind == Elementwise::Mul) {
    elementwise_rows<kind, true>(job);
  } else {
    elementwise_rows<kind, false>(job);
  }
}

void elementwise_kernel(const ElementwiseJob& job) {
  switch (job.mode.dst) {
    case DstKind::Fp32:
      elementwise_of_kind<DstKind::Fp32>(job);
      break;
    case DstKind::Bf16:
      elementwise_of_kind<DstKind::Bf16>(job);
      break;
    case DstKind::Fp16:
      elementwise_of_kind<DstKind::Fp16>(job);
      break;
  }
}

// --- Integers ----------------------------------------------------------------------------------

HWY_INLINE V integer_of(V cell, u32 mask, bool keep) {
  const V value = negate_where_negative(hn::And(mantissa_of(cell), word(mask)), cell);
  if (keep) return value;
  return hn::IfThenZeroElse(hn::Eq(exponent_of(cell), hn::Zero(Words())), value);
}

/// integer_accumulate for a row, with the order of storage. |sum| < 2^30.
HWY_INLINE void integer_accumulate(const DstRows& rows, u32 row, size_t j, V sum) {
  const V zero = hn::Zero(Words());
  const V most = word(0x7FFFFFFF);
  const V high = load_halves(rows.old_high[row] + j);
  const V low = load_halves(rows.old_low[row] + j);
  const V natural = hn::Or(hn::ShiftLeft<7>(hn::And(high, word(0xFF))),
                           shift_right<8>(hn::And(high, word(0x7F00))));
  const V old =
      negate_where_negative(hn::Or(hn::ShiftLeft<16>(natural), low), hn::ShiftLeft<16>(high));
  const V total = hn::Add(old, sum);
  // Both signs differ from the result's: the addition wrapped, and `old` says which way. The one
  // negative number without a counterpart is clamped, too.
  const auto wrapped = hn::Lt(hn::And(hn::Xor(old, total), hn::Xor(sum, total)), zero);
  const auto clamped = hn::Or(wrapped, hn::Eq(total, word(0x80000000)));
  const V magnitude = hn::IfThenElse(clamped, most, hn::Abs(total));
  const V sign = hn::IfThenElse(wrapped, old, total);
  const V top = hn::Or(hn::And(shift_right<23>(magnitude), word(0xFF)),
                       hn::And(shift_right<8>(magnitude), word(0x7F00)));
  store_halves(rows.high[row] + j, hn::Or(top, hn::And(shift_right<16>(sign), word(0x8000))));
  store_halves(rows.low[row] + j, hn::And(magnitude, word(0xFFFF)));
}

void integer_matrix_kernel(const MatrixJob& job) {
  const Floats df;
  const u32 mask_a = numeric::integer_slice_mask_a(job.phase);
  const u32 mask_b = numeric::integer_slice_mask_b(job.phase);
  // Floats are exact here: |slices| < 2^8 and 2^10, 16 products stay below 2^22.
  alignas(64) float b[kMaxKernelRows][kRowDatums];
  for (u32 i = 0; i < job.dst.count; ++i)
    for (size_t k = 0; k < kRowDatums; k += hn::Lanes(df))
      hn::StoreU(hn::ConvertTo(df, integer_of(hn::And(load_cells(job.b[i] + k), word(job.mask_b)),
                                              mask_b, job.keep)),
                 df, b[i] + k);
  for (size_t j = 0; j < kRowDatums; j += hn::Lanes(df)) {
    alignas(64) float a[kRowDatums][kRowDatums];
    for (u32 k = 0; k < kRowDatums; ++k) {
      const V cell = hn::And(load_cells(job.a[k] + j), word(job.mask_a));
      hn::Store(hn::ConvertTo(df, integer_of(cell, mask_a, false)), df, a[k]);
    }
    for (u32 i = 0; i < job.dst.count; ++i) {
      VF sum = hn::Zero(df);
      for (u32 k = 0; k < kRowDatums; ++k)
        sum = hn::MulAdd(hn::Load(df, a[k]), hn::Set(df, b[i][k]), sum);
      integer_accumulate(job.dst, i, j, hn::ConvertTo(Words(), sum));
    }
  }
}

void integer_elementwise_kernel(const ElementwiseJob& job) {
  const bool product = job.kind == Elementwise::Mul;
  const u32 mask_a = product ? numeric::integer_slice_mask_a(job.phase) : 0x3FF;
  const u32 mask_b = product ? numeric::integer_slice_mask_b(job.phase) : 0x3FF;
  const ElementwiseSetup setup = setup_of(job);
  for (u32 i = 0; i < job.dst.count; ++i) {
    for (size_t j = 0; j < kRowDatums; j += hn::Lanes(Words())) {
      const V a = integer_of(load_a(job, setup, i, j), mask_a, false);
      const V b = integer_of(load_b(job, setup, i, j), mask_b, job.keep);
      integer_accumulate(job.dst, i, j, product ? hn::Mul(a, b) : hn::Add(a, b));
    }
  }
}

}  // namespace bhemu::tensix::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bhemu::tensix {

HWY_EXPORT(integer_matrix_kernel);
HWY_EXPORT(elementwise_kernel);
HWY_EXPORT(integer_elementwise_kernel);

void run_integer_matrix_kernel(const MatrixJob& job) {
  HWY_DYNAMIC_DISPATCH(integer_matrix_kernel)(job);
}
void run_elementwise_kernel(const ElementwiseJob& job) {
  HWY_DYNAMIC_DISPATCH(elementwise_kernel)(job);
}
void run_integer_elementwise_kernel(const ElementwiseJob& job) {
  HWY_DYNAMIC_DISPATCH(integer_elementwise_kernel)(job);
}

}  // namespace bhemu::tensix
#endif
