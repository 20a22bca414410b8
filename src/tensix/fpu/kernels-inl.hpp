// What the kernels of the matrix unit share, for each of Highway's targets. No structure, array or
// copying lambda holds a vector: SVE's have no size that C++ knows.
// tidy: allow pragma-once in this file: Highway includes it once per target
// tidy: allow macro in this file: so its guard has to toggle
#if defined(BHEMU_TENSIX_FPU_KERNELS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef BHEMU_TENSIX_FPU_KERNELS_INL
#undef BHEMU_TENSIX_FPU_KERNELS_INL
#else
#define BHEMU_TENSIX_FPU_KERNELS_INL
#endif

#include <hwy/highway.h>

#include "tensix/fpu/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace bhemu::tensix::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using numeric::DstKind;

using Words = hn::CappedTag<i32, kRowDatums>;
using Unsigned = hn::RebindToUnsigned<Words>;
using Floats = hn::RebindToFloat<Words>;
using Halves = hn::Rebind<u16, Words>;
using V = hn::Vec<Words>;
using VF = hn::Vec<Floats>;

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
HWY_INLINE V mantissa_of(V cell) {
  return hn::And(shift_right<13>(cell), word(0x3FF));
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

// --- Operands of products: exponents, four in a word. They have a short form where those of an
// operand that are not zero's lie close together: kLargestNarrow for the largest one, and so on
// down to kSmallestNarrow; 0 for zero's. Sums of two that are not zero's are above kNarrowNone,
// all others are not.

constexpr i32 kSmallestNarrow = 64;
constexpr i32 kLargestNarrow = 107;
constexpr u32 kNarrowNone = 127;

/// What is added to exponents of 5 bits.
constexpr u32 rebias_of(const numeric::FpuMode& mode) {
  return mode.five_bit ? 96 : 0;
}

#if HWY_TARGET == HWY_SCALAR
template <class Combine>
HWY_INLINE V each_byte(V a, V b, Combine combine) {
  u32 result = 0;
  for (u32 shift = 0; shift < 32; shift += 8) {
    const auto byte = [shift](V v) { return static_cast<u32>(hn::GetLane(v)) >> shift & 0xFF; };
    result |= (combine(byte(a), byte(b)) & 0xFF) << shift;
  }
  return word(result);
}
HWY_INLINE V byte_sums(V a, V b) {
  return each_byte(a, b, [](u32 x, u32 y) { return x + y; });
}
HWY_INLINE V larger_bytes(V a, V b) {
  return each_byte(a, b, [](u32 x, u32 y) { return HWY_MAX(x, y); });
}
#else
using Bytes = hn::Repartition<u8, Words>;
HWY_INLINE hn::Vec<Bytes> bytes_of(V v) {
  return hn::BitCast(Bytes(), v);
}
HWY_INLINE V byte_sums(V a, V b) {
  return hn::BitCast(Words(), hn::Add(bytes_of(a), bytes_of(b)));
}
HWY_INLINE V larger_bytes(V a, V b) {
  return hn::BitCast(Words(), hn::Max(bytes_of(a), bytes_of(b)));
}
#endif

// --- The accumulate step: 32-bit integers as in the scalar code. Of a 16-bit Dst all terms are
// multiples of 2^13 (twice: 2^14) and their sum is below 2^30 (2^31), so that it is exact as a
// float and the float's fields are the result's.

/// Twice a value, aligned. For a 16-bit Dst with its second rounding, and still twice the value:
/// with y = floor(2x), floor((floor((y + 1) / 2) + 2^12) / 2^13) is floor((y + 1 + 2^13) / 2^14).
template <DstKind kind>
HWY_INLINE V aligned(V twice, V places) {
  const V y = shifted(twice, places);
  if constexpr (kind == DstKind::Fp32) return hn::ShiftRight<1>(hn::Add(y, word(1)));
  return hn::And(hn::Add(y, word(8193)), word(~16383u));
}

/// What Dst holds, twice (2^24 is 1.0), as a magnitude. Its sign is in bit 31 of `sign`.
template <DstKind kind>
HWY_INLINE V load_dst(const DstRows& rows, u32 row, size_t j, V& exponent, V& sign) {
  const V high = load_halves(rows.old_high[row] + j);
  V fraction;
  if constexpr (kind == DstKind::Fp16) {
    exponent = hn::And(high, word(0x1F));
    fraction = hn::And(hn::ShiftLeft<9>(high), word(0xFFC000));
  } else {
    exponent = hn::And(high, word(0xFF));
    fraction = hn::And(hn::ShiftLeft<9>(high), word(0xFE0000));
    if constexpr (kind == DstKind::Fp32)
      fraction = hn::Or(fraction, hn::ShiftLeft<1>(load_halves(rows.old_low[row] + j)));
  }
  sign = hn::ShiftLeft<16>(high);
  return hn::IfThenZeroElse(hn::Eq(exponent, hn::Zero(Words())), hn::Or(fraction, word(0x1000000)));
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
    // Logical: what rounds up to the next power of two sets the highest bit.
    const V q = shift_right<7>(hn::Add(left, word(64)));
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

/// Adds a term, twice its value with its exponent, to Dst.
template <DstKind kind>
HWY_INLINE void accumulate(const DstRows& rows, u32 row, size_t j, V exponent, V twice) {
  V old_exponent, sign;
  const V old = load_dst<kind>(rows, row, j, old_exponent, sign);
  const V e = hn::Max(old_exponent, exponent);
  V sum = negate_where_negative(aligned<kind>(old, hn::Sub(e, old_exponent)), sign);
  sum = hn::Add(sum, aligned<kind>(twice, hn::Sub(e, exponent)));
  store_sum<kind>(rows, row, j, e, sum);
}
/// What Dst holds and two terms; `e` is their largest exponent.
template <DstKind kind>
HWY_INLINE V sum_of_terms(const DstRows& rows, u32 row, size_t j, V exponent, V twice, V exponent_2,
                          V twice_2, V& e) {
  V old_exponent, sign;
  const V old = load_dst<kind>(rows, row, j, old_exponent, sign);
  e = hn::Max(hn::Max(old_exponent, exponent), exponent_2);
  const V magnitude = aligned<kind>(old, hn::Sub(e, old_exponent));
  const auto negative = hn::Lt(sign, hn::Zero(Words()));
  V sum = hn::IfThenElse(negative, hn::Neg(magnitude), magnitude);
  sum = hn::Add(sum, aligned<kind>(twice, hn::Sub(e, exponent)));
  return hn::Add(sum, aligned<kind>(twice_2, hn::Sub(e, exponent_2)));
}
/// Adds two terms.
template <DstKind kind>
HWY_INLINE void accumulate(const DstRows& rows, u32 row, size_t j, V exponent, V twice,
                           V exponent_2, V twice_2) {
  V e;
  const V sum = sum_of_terms<kind>(rows, row, j, exponent, twice, exponent_2, twice_2, e);
  store_sum<kind>(rows, row, j, e, sum);
}

#if HWY_TARGET != HWY_SCALAR
// --- Four rows of a 16-bit Dst at a time: what happens to 16-bit numbers happens to two at once.

using Shorts = hn::Repartition<u16, Words>;
using VS = hn::Vec<Shorts>;

/// Bits of a fraction of Dst. There is no 32-bit Dst here, whatever is compiled for it.
template <DstKind kind>
inline constexpr int kFractionBits = kind == DstKind::Fp16 ? 10 : 7;

/// `number_of_sum`, also of zero. The exponent is positive where the sum is not zero.
template <DstKind kind>
HWY_INLINE V short_number(V exponent, V sum) {
  constexpr int kFraction = kFractionBits<kind>;
  constexpr u32 kHalf = 1u << (22 - kFraction);
  const V magnitude = hn::Abs(sum);
  const V bits = hn::BitCast(Words(), hn::ConvertTo(Floats(), magnitude));
  const V rounded = hn::ShiftRight<23 - kFraction>(hn::Add(bits, word(kHalf - (151u << 23))));
  const auto zero = hn::Eq(sum, hn::Zero(Words()));
  const V number = hn::Add(rounded, hn::ShiftLeft<kFraction>(exponent));
  return hn::IfThenZeroElse(zero, hn::Min(number, word(kind == DstKind::Fp16 ? 0x7FFF : 0x7F80)));
}

/// Of words, the lower halves of `low` and those of `high` above them.
HWY_INLINE VS interleaved(V low, V high) {
  return hn::BitCast(Shorts(), hn::Or(hn::And(low, word(0xFFFF)), hn::ShiftLeft<16>(high)));
}

/// encode_dst for two rows, whose numbers and sums these are, the one in the lower halves.
template <DstKind kind>
HWY_INLINE VS encoded_pair(V number_low, V number_high, V sum_low, V sum_high) {
  constexpr int kFraction = kFractionBits<kind>;
  constexpr int kExponent = 15 - kFraction;
  const Shorts d;
  const hn::RebindToSigned<Shorts> di;
  const VS n = interleaved(number_low, number_high);
  const auto is_number =
      hn::Gt(hn::BitCast(di, n), hn::Set(di, static_cast<i16>((1 << kFraction) - 1)));
  const V signs =
      hn::Or(hn::And(sum_high, word(0x80000000)), hn::And(shift_right<16>(sum_low), word(0x8000)));
  const VS fields =
      hn::Or(hn::ShiftRight<kFraction>(n),
             hn::And(hn::ShiftLeft<kExponent>(n),
                     hn::Set(d, static_cast<u16>(0x7FFF & ~((1u << kExponent) - 1)))));
  const VS all = hn::Or(fields, hn::BitCast(d, signs));
  return hn::BitCast(d, hn::IfThenElseZero(is_number, hn::BitCast(di, all)));
}

/// Stores four rows, the even ones in one vector and the odd ones in the other, the first of each
/// in the lower halves of words.
HWY_INLINE void store_four(u16* row0, u16* row1, u16* row2, u16* row3, VS even, VS odd) {
  const Shorts d;
  const hn::Half<Shorts> half;
  const VS first = hn::ConcatEven(d, odd, even);
  const VS last = hn::ConcatOdd(d, odd, even);
  hn::StoreU(hn::LowerHalf(half, first), half, row0);
  hn::StoreU(hn::UpperHalf(half, first), half, row1);
  hn::StoreU(hn::LowerHalf(half, last), half, row2);
  hn::StoreU(hn::UpperHalf(half, last), half, row3);
}

/// Adds two terms to each of four rows from `row` on. Exponents, and twice the values, stand in
/// arrays of rows; a term that is zero may have any value with an exponent of -32 or less.
template <DstKind kind, class Terms>
HWY_INLINE void accumulate_four(const DstRows& rows, u32 row, size_t j, const Terms& exponent,
                                const Terms& twice) {
  const Words dw;
  const auto sum_of = [&](u32 i, V& e) HWY_ATTR {
    return sum_of_terms<kind>(rows, i, j, hn::Load(dw, exponent[0][i] + j),
                              hn::Load(dw, twice[0][i] + j), hn::Load(dw, exponent[1][i] + j),
                              hn::Load(dw, twice[1][i] + j), e);
  };
  V e0, e1, e2, e3;
  const V sum0 = sum_of(row, e0);
  const V sum2 = sum_of(row + 2, e2);
  const V number0 = short_number<kind>(e0, sum0);
  const V number2 = short_number<kind>(e2, sum2);
  const VS even = encoded_pair<kind>(number0, number2, sum0, sum2);
  const V sum1 = sum_of(row + 1, e1);
  const V sum3 = sum_of(row + 3, e3);
  const V number1 = short_number<kind>(e1, sum1);
  const V number3 = short_number<kind>(e3, sum3);
  const VS odd = encoded_pair<kind>(number1, number3, sum1, sum3);
  u16* const* const out = rows.high + row;
  store_four(out[0] + j, out[1] + j, out[2] + j, out[3] + j, even, odd);
}
#endif

}  // namespace bhemu::tensix::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // BHEMU_TENSIX_FPU_KERNELS_INL
