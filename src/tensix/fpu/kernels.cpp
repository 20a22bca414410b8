// See kernels.hpp. How the roundings of numeric/fpu_arithmetic.hpp become vector operations:
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
// are floats of sufficient precision, up to the limits that run_matrix_kernel checks.
//
// The accumulate step works on 32-bit integers as the scalar code does. Of a 16-bit Dst all terms
// are multiples of 2^13 (twice: 2^14) and their sum is below 2^30 (2^31), so that it is exact as a
// float and the float's fields are the result's.
#include "tensix/fpu/kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensix/fpu/kernels.cpp"  // NOLINT
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace bhemu::tensix::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using numeric::DstKind;

using Words = hn::CappedTag<i32, kRowDatums>;
using Unsigned = hn::RebindToUnsigned<Words>;
using Floats = hn::RebindToFloat<Words>;
using Halves = hn::Rebind<u16, Words>;
using Shorts = hn::CappedTag<i16, kRowDatums>;
using V = hn::Vec<Words>;
using VF = hn::Vec<Floats>;

constexpr i16 kNoExponent = -8192;

HWY_INLINE V word(u32 value) {
  return hn::Set(Words(), static_cast<i32>(value));
}
HWY_INLINE V load_cells(const u32* cells) {
  return hn::BitCast(Words(), hn::LoadU(Unsigned(), cells));
}
HWY_INLINE V load_halves(const u16* halves) {
  return hn::PromoteTo(Words(), hn::LoadU(Halves(), halves));
}
HWY_INLINE void store_halves(u16* halves, V v) {
  hn::StoreU(hn::DemoteTo(Halves(), v), Halves(), halves);
}
/// Logical shift right.
template <int places>
HWY_INLINE V shift_right(V v) {
  return hn::BitCast(Words(), hn::ShiftRight<places>(hn::BitCast(Unsigned(), v)));
}
HWY_INLINE V negate_where_negative(V v, V sign_source) {
  const V sign = hn::ShiftRight<31>(sign_source);
  return hn::Sub(hn::Xor(v, sign), sign);
}
HWY_INLINE V exponent_of(V cell) {
  return hn::And(shift_right<23>(cell), word(0xFF));
}

/// v / 2^places towards minus infinity, whatever the distance.
HWY_INLINE V shifted(V v, V places) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  return hn::Shr(v, places);  // 32 places and more leave the sign
#else
  return hn::Shr(v, hn::Min(places, word(31)));
#endif
}
/// The scalar round_up, and round_away for magnitudes. floor(x + 1/2) = floor((floor(2x) + 1) / 2).
HWY_INLINE V rounded(V v, V places) {
  return hn::ShiftRight<1>(hn::Add(shifted(hn::Add(v, v), places), word(1)));
}
/// Twice a value, aligned. For a 16-bit Dst with its second rounding, and still twice the value:
/// with y = floor(2x), floor((floor((y + 1) / 2) + 2^12) / 2^13) is floor((y + 1 + 2^13) / 2^14).
template <DstKind kind>
HWY_INLINE V aligned(V twice, V places) {
  const V y = shifted(twice, places);
  if constexpr (kind == DstKind::Fp32) return hn::ShiftRight<1>(hn::Add(y, word(1)));
  return hn::And(hn::Add(y, word(8193)), word(~16383u));
}

struct OldDst {
  V exponent;
  V magnitude;  // twice: 2^24 is 1.0
  V sign;       // in bit 31
};

template <DstKind kind>
HWY_INLINE OldDst load_dst(const DstRows& rows, u32 row, size_t j) {
  const V high = load_halves(rows.old_high[row] + j);
  OldDst old;
  V fraction;
  if constexpr (kind == DstKind::Fp16) {
    old.exponent = hn::And(high, word(0x1F));
    fraction = hn::ShiftLeft<9>(hn::And(high, word(0x7FE0)));
  } else {
    old.exponent = hn::And(high, word(0xFF));
    fraction = hn::ShiftLeft<9>(hn::And(high, word(0x7F00)));
    if constexpr (kind == DstKind::Fp32)
      fraction = hn::Or(fraction, hn::ShiftLeft<1>(load_halves(rows.old_low[row] + j)));
  }
  old.magnitude = hn::IfThenZeroElse(hn::Eq(old.exponent, hn::Zero(Words())),
                                     hn::Or(fraction, word(0x1000000)));
  old.sign = hn::ShiftLeft<16>(high);
  return old;
}

/// Fields of the rounded sum, exponent above fraction; what is not a number yet: zero and overflow.
template <DstKind kind>
HWY_INLINE V number_of_sum(V exponent, V magnitude) {
  const Floats df;
  // 2^23 is 1.0, or 2^24.
  const V bias = hn::Sub(exponent, word(kind == DstKind::Fp32 ? 150 : 151));
  if constexpr (kind == DstKind::Fp32) {
    // Without the bit below the highest the conversion cannot round up to the next power of two.
    const V thin = hn::AndNot(shift_right<1>(magnitude), magnitude);
    const V e = shift_right<23>(hn::BitCast(Words(), hn::ConvertTo(df, thin)));
    const V left = hn::Shl(magnitude, hn::And(hn::Sub(word(157), e), word(31)));
    const V q = hn::ShiftRight<7>(hn::Add(left, word(64)));
    const V top = hn::Add(bias, e);
    const V result = hn::Add(hn::ShiftLeft<23>(top), hn::Sub(q, word(0x800000)));
    return hn::IfThenElse(hn::Gt(top, word(254)), word(0x7F800000), result);
  }
  const V bits = hn::BitCast(Words(), hn::ConvertTo(df, magnitude));
  if constexpr (kind == DstKind::Bf16) {
    const V result =
        hn::Add(hn::ShiftRight<16>(hn::Add(bits, word(0x8000))), hn::ShiftLeft<7>(bias));
    return hn::Min(result, word(0x7F80));
  }
  const V result =
      hn::Add(hn::ShiftRight<13>(hn::Add(bits, word(0x1000))), hn::ShiftLeft<10>(bias));
  return hn::Min(result, word(0x7FFF));
}

/// encode_dst for a row, and its way into storage.
template <DstKind kind>
HWY_INLINE void store_sum(const DstRows& rows, u32 row, size_t j, V exponent, V sum) {
  const V zero = hn::Zero(Words());
  const V magnitude = hn::Abs(sum);
  V number = number_of_sum<kind>(exponent, magnitude);
  constexpr u32 kSmallest = kind == DstKind::Fp32   ? 1u << 23
                            : kind == DstKind::Bf16 ? 1u << 7
                                                    : 1u << 10;
  const auto is_number = hn::And(hn::Gt(number, word(kSmallest - 1)),
                                 hn::And(hn::Gt(magnitude, zero), hn::Gt(exponent, zero)));
  number = hn::IfThenElseZero(is_number, number);
  const V sign = hn::IfThenElseZero(is_number, hn::And(shift_right<16>(sum), word(0x8000)));
  V high;
  if constexpr (kind == DstKind::Fp16) {
    high = hn::Or(shift_right<10>(number), hn::And(hn::ShiftLeft<5>(number), word(0x7FE0)));
  } else if constexpr (kind == DstKind::Bf16) {
    high = hn::Or(shift_right<7>(number), hn::And(hn::ShiftLeft<8>(number), word(0x7F00)));
  } else {
    high = hn::Or(shift_right<23>(number), hn::And(shift_right<8>(number), word(0x7F00)));
    store_halves(rows.low[row] + j, hn::And(number, word(0xFFFF)));
  }
  store_halves(rows.high[row] + j, hn::Or(high, sign));
}

struct Term {
  V exponent;
  V value;  // twice
};

template <DstKind kind, class... Terms>
HWY_INLINE void accumulate(const DstRows& rows, u32 row, size_t j, const Terms&... terms) {
  const OldDst old = load_dst<kind>(rows, row, j);
  V e = old.exponent;
  ((e = hn::Max(e, terms.exponent)), ...);
  V sum = aligned<kind>(old.magnitude, hn::Sub(e, old.exponent));
  sum = negate_where_negative(sum, old.sign);
  ((sum = hn::Add(sum, aligned<kind>(terms.value, hn::Sub(e, terms.exponent)))), ...);
  store_sum<kind>(rows, row, j, e, sum);
}

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

/// `origin`: what is added to an exponent to get the float exponent of M.
HWY_INLINE Term sum_of_group(const Operands& operands, u32 row, u32 first, size_t j,
                             const i16* exponents, V origin) {
  const Words dw;
  const Floats df;
  const V e = hn::PromoteTo(dw, hn::LoadU(hn::Rebind<i16, Words>(), exponents + j));
  const V start = hn::Or(hn::ShiftLeft<23>(hn::Add(e, origin)), word(0x400000));
  VF sum = hn::BitCast(df, start);
  for (u32 k = first; k < first + 8; ++k)
    sum = hn::MulAdd(hn::Load(df, operands.a[k] + j), hn::Set(df, operands.b[row][k]), sum);
  // Both are in one binade: the difference of the patterns is the sum in units.
  const V value = hn::ShiftLeft<14>(hn::Sub(hn::BitCast(dw, sum), start));
  return {e, hn::IfThenElseZero(hn::Gt(e, hn::Zero(dw)), value)};
}

template <DstKind kind>
HWY_INLINE void products(const MatrixJob& job, const Operands& operands) {
  const i32 zero_exponent = job.mode.zero_exponent(job.phase);
  // alpha * beta units are 2^(s - 264) as floats, s the sum of the exponent fields (4 and 6 bits
  // below the hidden ones, twice the bias of 127), 2^24 and the rebias apart. That holds in every
  // phase: what product_bias subtracts for a slice the float has lost by itself.
  const i32 unit = -job.mode.product_bias(0) - 264 + 24 + 2 * static_cast<i32>(rebias_of(job.mode));
  const V origin = hn::Set(Words(), unit + 127 + 23);
  for (u32 i = 0; i < job.dst.count; ++i) {
    alignas(64) i16 exponents[2][kRowDatums];
    largest_exponents(exponents[0], operands, i, 0, zero_exponent);
    largest_exponents(exponents[1], operands, i, 8, zero_exponent);
    for (size_t j = 0; j < kRowDatums; j += hn::Lanes(Words())) {
      const Term low = sum_of_group(operands, i, 0, j, exponents[0], origin);
      const Term high = sum_of_group(operands, i, 8, j, exponents[1], origin);
      accumulate<kind>(job.dst, i, j, low, high);
    }
  }
}

bool matrix_kernel(const MatrixJob& job) {
  Operands operands;
  if (!prepare(operands, job)) return false;
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

// --- Element-wise operations -------------------------------------------------------------------

HWY_INLINE V mantissa_of(V cell) {
  return hn::And(shift_right<13>(cell), word(0x3FF));
}

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
  V mask_a;
  V mask_b;
  V sign;           // flips SrcB
  V present_b;      // or-ed to what must not be zero for SrcB to count
  V mantissa_b;     // mask: its mantissa counts, too
  V bias;           // of products
  V zero_exponent;  // of products
  V zero_sum;       // of sums
  V rebias;         // of sums
  V phase_shift;    // of sums
  bool low_a;
  bool low_b;
  bool broadcast_column;
};

HWY_INLINE ElementwiseSetup setup_of(const ElementwiseJob& job) {
  const Words dw;
  const bool moves_up = job.mode.five_bit && job.mode.dst == DstKind::Fp32;
  return {word(job.mask_a),
          word(job.mask_b),
          word(job.kind == Elementwise::Sub ? 0x80000000 : 0),
          word(job.keep ? 1 : 0),
          word(job.keep ? 0x3FF : 0),
          hn::Set(dw, job.mode.product_bias(job.phase)),
          hn::Set(dw, job.mode.zero_exponent(job.phase)),
          word(moves_up ? 97 : 0),
          word(moves_up ? 112 : 0),
          word(5 * (job.phase & 1) + 7 * (job.phase >> 1)),
          (job.phase & 1) != 0,
          (job.phase & 2) != 0,
          job.broadcast_column};
}

/// elementwise_product for a row.
HWY_INLINE Term product_term(V a, V b, const ElementwiseSetup& setup) {
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
  const V e = hn::Add(hn::Add(ea, eb), setup.bias);
  const auto counts = hn::And(hn::And(hn::Gt(ea, zero), hn::Gt(e, zero)),
                              hn::Gt(hn::Or(eb, setup.present_b), zero));
  return {hn::IfThenElse(counts, e, setup.zero_exponent), hn::IfThenElseZero(counts, value)};
}

/// elementwise_sum for a row. Both operands are shifted to the larger exponent, the one that has
/// it by nothing.
HWY_INLINE Term sum_term(V a, V b, const ElementwiseSetup& setup) {
  const V zero = hn::Zero(Words());
  const V ea = exponent_of(a);
  const V eb = exponent_of(b);
  const V ma = mantissa_of(a);
  const V mb = mantissa_of(b);
  const V b_present = hn::Or(eb, hn::And(mb, setup.mantissa_b));
  const V na = hn::IfThenElseZero(hn::Gt(ea, zero), hn::Add(ma, word(1024)));
  const V nb = hn::IfThenElseZero(hn::Gt(b_present, zero), hn::Add(mb, word(1024)));
  const V top = hn::Max(ea, eb);
  const V x = negate_where_negative(rounded(na, hn::Sub(top, ea)), a);
  const V y = negate_where_negative(rounded(nb, hn::Sub(top, eb)), b);
  const V e = hn::IfThenElse(hn::Gt(top, zero), hn::Add(top, setup.rebias), setup.zero_sum);
  return {hn::Sub(e, setup.phase_shift), hn::ShiftLeft<14>(hn::Add(x, y))};
}

struct Pair {
  V a;
  V b;
};
HWY_INLINE Pair load_pair(const ElementwiseJob& job, const ElementwiseSetup& setup, u32 row,
                          size_t j) {
  const V b = setup.broadcast_column ? word(job.b[row][0]) : load_cells(job.b[row] + j);
  return {hn::And(load_cells(job.a[row] + j), setup.mask_a),
          hn::And(hn::Xor(b, setup.sign), setup.mask_b)};
}

template <DstKind kind, bool product>
HWY_INLINE void elementwise_rows(const ElementwiseJob& job) {
  const ElementwiseSetup setup = setup_of(job);
  const u32 count = job.dst.count;
  for (u32 i = 0; i < count; ++i) {
    for (size_t j = 0; j < kRowDatums; j += hn::Lanes(Words())) {
      const Pair pair = load_pair(job, setup, i, j);
      if constexpr (product) {
        accumulate<kind>(job.dst, i, j, product_term(pair.a, pair.b, setup));
      } else {
        accumulate<kind>(job.dst, i, j, sum_term(pair.a, pair.b, setup));
      }
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
                                              mask_b, false)),
                 df, b[i] + k);
  for (size_t j = 0; j < kRowDatums; j += hn::Lanes(df)) {
    VF a[kRowDatums];
    for (u32 k = 0; k < kRowDatums; ++k)
      a[k] = hn::ConvertTo(
          df, integer_of(hn::And(load_cells(job.a[k] + j), word(job.mask_a)), mask_a, false));
    for (u32 i = 0; i < job.dst.count; ++i) {
      VF sum = hn::Zero(df);
      for (u32 k = 0; k < kRowDatums; ++k) sum = hn::MulAdd(a[k], hn::Set(df, b[i][k]), sum);
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
      const Pair pair = load_pair(job, setup, i, j);
      const V a = integer_of(pair.a, mask_a, false);
      const V b = integer_of(pair.b, mask_b, job.keep);
      integer_accumulate(job.dst, i, j, product ? hn::Mul(a, b) : hn::Add(a, b));
    }
  }
}

// --- Moves -------------------------------------------------------------------------------------

void move_kernel(const MoveJob& job) {
  const V zero = hn::Zero(Words());
  for (u32 i = 0; i < job.dst.count; ++i) {
    for (size_t j = 0; j < kRowDatums; j += hn::Lanes(Words())) {
      V cell = job.broadcast_column ? word(job.cells[i][0]) : load_cells(job.cells[i] + j);
      cell = hn::And(cell, word(job.mask));
      const V e = exponent_of(cell);
      if (job.flush) cell = hn::IfThenZeroElse(hn::Eq(e, zero), cell);
      const V sign = hn::And(shift_right<16>(cell), word(0x8000));
      V half;
      if (job.five_bit) {
        half = hn::Or(hn::And(e, word(0x1F)), hn::And(shift_right<8>(cell), word(0x7FE0)));
      } else {
        half = hn::Or(e, hn::And(shift_right<8>(cell), word(0x7F00)));
      }
      store_halves(job.dst.high[i] + j, hn::Or(half, sign));
      if (job.wide) store_halves(job.dst.low[i] + j, hn::And(cell, word(0xE000)));
    }
  }
}

}  // namespace bhemu::tensix::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bhemu::tensix {

HWY_EXPORT(matrix_kernel);
HWY_EXPORT(integer_matrix_kernel);
HWY_EXPORT(elementwise_kernel);
HWY_EXPORT(integer_elementwise_kernel);
HWY_EXPORT(move_kernel);

bool run_matrix_kernel(const MatrixJob& job) {
  return HWY_DYNAMIC_DISPATCH(matrix_kernel)(job);
}
void run_integer_matrix_kernel(const MatrixJob& job) {
  HWY_DYNAMIC_DISPATCH(integer_matrix_kernel)(job);
}
void run_elementwise_kernel(const ElementwiseJob& job) {
  HWY_DYNAMIC_DISPATCH(elementwise_kernel)(job);
}
void run_integer_elementwise_kernel(const ElementwiseJob& job) {
  HWY_DYNAMIC_DISPATCH(integer_elementwise_kernel)(job);
}
void run_move_kernel(const MoveJob& job) {
  HWY_DYNAMIC_DISPATCH(move_kernel)(job);
}

}  // namespace bhemu::tensix
#endif
