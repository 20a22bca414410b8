// Products into a Dst of bf16, in floats from the operands to the encoded result, where all numbers
// lie close enough together; included by kernels.cpp alone, once per target.
//
// What follows is one computation in fields: the exponent field of a float, 127 + its exponent.
// The slices of narrow operands are scaled so that a group whose lanes have the largest short
// exponent n (a sum of two, see kernels-inl.hpp) has its unit at 2^(n - 127 - 23): a running sum
// that starts at M = 1.25 * 2^23 units is the float whose field is n. An exponent e of the chip's
// is field e + `shift`, for Dst likewise.
//
// The accumulate step of numeric/fpu_arithmetic.hpp with E the largest field: every term is rounded
// to units of 2^(E - 127 - 23) by adding it to M' = 1.5 * 2^23 of these (|sum| < 2^17 of them, so
// everything stays in one binade), and what is left without M' is their sum, exactly.
// - A sum S of a group, in whole units of its own, d places below E, is rounded twice there: to
//   2^-13, then to whole units, ties towards plus infinity; that is floor(S / 2^d + 1/2 + 2^-14).
//   The host rounds to even, therefore it gets S + 0.3125 + 2^(d - 14). At d = 0 that is below
//   S + 1/2; with 0 < d < 14 it lies between S and S + 1, and ties, which are whole there, are no
//   ties any more; from 14 on what is added beyond 2^(d - 14) changes nothing, as S and 2^(d - 14)
//   are whole. From 16 on nothing reaches a half (|S| <= 8 * 31 * 127 < 2^15 - 4).
// - Dst has eight significant bits, at most 2^11 units, and ties go away from zero: times
//   1 + 2^-13 they are no ties any more, and nothing else crosses one (multiples of 2^(3 - d)
//   become larger by less than 2^-d / 4). Its first rounding is exact wherever the second one
//   does not give zero.
// The result is rounded to eight bits, ties away, by adding half of the last one to the pattern.
// tidy: allow pragma-once in this file: Highway includes it once per target
// tidy: allow macro in this file: so its guard has to toggle
#if defined(BHEMU_TENSIX_FPU_KERNELS_BF16_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef BHEMU_TENSIX_FPU_KERNELS_BF16_INL
#undef BHEMU_TENSIX_FPU_KERNELS_BF16_INL
#else
#define BHEMU_TENSIX_FPU_KERNELS_BF16_INL
#endif

#include <hwy/highway.h>

#include "tensix/fpu/kernels-inl.hpp"

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace bhemu::tensix::HWY_NAMESPACE {

/// The field of a group of which all lanes are zero: above every sum of a short exponent and
/// zero's, below all others.
constexpr u32 kNoLane = 112;
static_assert(kNoLane > kLargestNarrow && kNoLane <= kNarrowNone);
/// M' is a number with every field of Dst up to here.
constexpr u32 kLargestOld = 254;
/// 1.0 is 2^10 units, and the float 1.0 in the place of M or M' would be 2^23.
constexpr i32 kUnitPlaces = 13;

constexpr u32 four_bytes(u32 byte) {
  return byte * 0x01010101;
}

/// Byte `index` of each word where a float has its exponent, with `rest` below it.
template <u32 index>
HWY_INLINE V field_of_byte(V bytes, u32 rest) {
  V field;
  if constexpr (index == 3)
    field = shift_right<1>(bytes);
  else
    field = hn::ShiftLeft<23 - 8 * static_cast<int>(index)>(bytes);
  return hn::OrAnd(word(rest), field, word(0x7F800000));
}

/// Half-words: those of one row of Dst with those of another above them.
HWY_INLINE V load_pair(const u16* low, const u16* high, size_t j) {
  return hn::Or(load_halves(low + j), hn::ShiftLeft<16>(load_halves(high + j)));
}

/// From the chip's exponents to fields and back.
class FieldShift {
 public:
  explicit FieldShift(i32 shift) : shift_(shift) {}

  /// In bytes, at least 0 and at most 255.
  HWY_INLINE V fields_of(V exponents) const {
    const auto up = hn::Set(Bytes(), static_cast<u8>(HWY_MAX(shift_, 0)));
    const auto down = hn::Set(Bytes(), static_cast<u8>(HWY_MAX(-shift_, 0)));
    return hn::BitCast(Words(), hn::SaturatedSub(hn::SaturatedAdd(bytes_of(exponents), up), down));
  }
  /// What exponents of Dst, less one, must not be below: Dst would lose bits in a sum with nothing,
  /// which has the field kNoLane. Three places it has to spare.
  u8 smallest_old() const {
    const i32 least = static_cast<i32>(kNoLane) - 3 - shift_ - 1;
    return static_cast<u8>(HWY_MIN(HWY_MAX(least, 0), 255));
  }
  /// What two rows of Dst hold as upper halves of floats; zero where an exponent, or its field, is
  /// not positive.
  HWY_INLINE V floats_of(V stored) const {
    const VS halves = hn::BitCast(Shorts(), stored);
    const VS fraction = hn::And(hn::ShiftRight<8>(halves), half(0x7F));
    const VS magnitude = hn::OrAnd(fraction, hn::ShiftLeft<7>(halves), half(0x7F80));
    const VS moved = above(-shift_, magnitude, hn::Add(magnitude, half(moved_by(shift_))));
    return hn::BitCast(Words(), hn::OrAnd(moved, halves, half(0x8000)));
  }
  /// What Dst stores for upper halves of rounded sums, whose units are those of M'.
  HWY_INLINE VS stored_of(V floats) const {
    const VS halves = hn::BitCast(Shorts(), floats);
    const VS magnitude = hn::And(halves, half(0x7FFF));
    const i32 shift = shift_ - kUnitPlaces;
    const VS number = hn::Min(hn::Sub(magnitude, half(moved_by(shift))), half(0x7F80));
    const VS fields = hn::OrAnd(hn::ShiftRight<7>(number), hn::ShiftLeft<8>(number), half(0x7F00));
    return above(shift, magnitude, hn::OrAnd(fields, halves, half(0x8000)));
  }

 private:
  static HWY_INLINE VS half(u32 value) { return hn::Set(Shorts(), static_cast<u16>(value)); }
  static u32 moved_by(i32 shift) { return static_cast<u32>(shift) << 7; }
  /// `v` where the exponent of `magnitude` is above `exponent` and above zero.
  static HWY_INLINE VS above(i32 exponent, VS magnitude, VS v) {
    const hn::RebindToSigned<Shorts> di;
    const u32 largest_zero = static_cast<u32>(HWY_MAX(exponent, 0)) << 7 | 0x7F;
    const auto is = hn::Gt(hn::BitCast(di, magnitude), hn::BitCast(di, half(largest_zero)));
    return hn::BitCast(Shorts(), hn::IfThenElseZero(is, hn::BitCast(di, v)));
  }

  i32 shift_;
};

/// The largest short exponents of both groups of lanes for rows of SrcB, or kNoLane.
HWY_INLINE void find_fields(const ProductOperandA& a, const ProductOperandB& b,
                            ProductFields& out) {
  const Unsigned du;
  for (size_t j = 0; j < kRowDatums; j += hn::Lanes(du)) {
    for (u32 group = 0; group < 2; ++group) {
      V top = word(four_bytes(kNoLane));
      V bottom = top;
      for (u32 k = 8 * group; k < 8 * group + 8; ++k) {
        const V lane = load_cells(a.narrow[k] + j);
        top = larger_bytes(top, byte_sums(lane, word(b.narrow[0][k])));
        bottom = larger_bytes(bottom, byte_sums(lane, word(b.narrow[1][k])));
      }
      hn::Store(hn::BitCast(du, top), du, out.largest[group][0] + j);
      hn::Store(hn::BitCast(du, bottom), du, out.largest[group][1] + j);
    }
  }
}

/// S + 0.3125 of a group whose sum began at `start`.
HWY_INLINE VF sum_without_start(VF sum, VF start) {
  return hn::MulAdd(start, hn::Set(Floats(), 0x1p-25F), hn::Sub(sum, start));
}

/// `sum_without_start` of lanes `first` to `first` + 7 for eight rows; fields of four each.
HWY_INLINE void sums_of_eight(const NarrowProduct& product, u32 first, size_t j, V top, V bottom,
                              VF& sum0, VF& sum1, VF& sum2, VF& sum3, VF& sum4, VF& sum5, VF& sum6,
                              VF& sum7) {
  const Floats df;
  const auto& alpha = product.a->slice[product.phase & 1];
  const auto& beta = product.b->slice[product.phase >> 1];
  constexpr u32 kStart = 0x200000;
  const VF start0 = hn::BitCast(df, field_of_byte<0>(top, kStart));
  const VF start1 = hn::BitCast(df, field_of_byte<1>(top, kStart));
  const VF start2 = hn::BitCast(df, field_of_byte<2>(top, kStart));
  const VF start3 = hn::BitCast(df, field_of_byte<3>(top, kStart));
  const VF start4 = hn::BitCast(df, field_of_byte<0>(bottom, kStart));
  const VF start5 = hn::BitCast(df, field_of_byte<1>(bottom, kStart));
  const VF start6 = hn::BitCast(df, field_of_byte<2>(bottom, kStart));
  const VF start7 = hn::BitCast(df, field_of_byte<3>(bottom, kStart));
  sum0 = start0;
  sum1 = start1;
  sum2 = start2;
  sum3 = start3;
  sum4 = start4;
  sum5 = start5;
  sum6 = start6;
  sum7 = start7;
  for (u32 k = first; k < first + 8; ++k) {
    const VF lane = hn::Load(df, alpha[k] + j);
    sum0 = hn::MulAdd(lane, hn::Set(df, beta[0][k]), sum0);
    sum1 = hn::MulAdd(lane, hn::Set(df, beta[1][k]), sum1);
    sum2 = hn::MulAdd(lane, hn::Set(df, beta[2][k]), sum2);
    sum3 = hn::MulAdd(lane, hn::Set(df, beta[3][k]), sum3);
    sum4 = hn::MulAdd(lane, hn::Set(df, beta[4][k]), sum4);
    sum5 = hn::MulAdd(lane, hn::Set(df, beta[5][k]), sum5);
    sum6 = hn::MulAdd(lane, hn::Set(df, beta[6][k]), sum6);
    sum7 = hn::MulAdd(lane, hn::Set(df, beta[7][k]), sum7);
  }
  sum0 = sum_without_start(sum0, start0);
  sum1 = sum_without_start(sum1, start1);
  sum2 = sum_without_start(sum2, start2);
  sum3 = sum_without_start(sum3, start3);
  sum4 = sum_without_start(sum4, start4);
  sum5 = sum_without_start(sum5, start5);
  sum6 = sum_without_start(sum6, start6);
  sum7 = sum_without_start(sum7, start7);
}

/// What Dst held and two groups' sums, added in units of `origin`, M'; half a last bit is added to
/// the pattern.
HWY_INLINE V rounded_sum(VF old, VF sum, VF sum_2, VF origin) {
  const Floats df;
  constexpr u32 kTo2ToMinus14 = (23 + 14) << 23 | 0x400000;
  static_assert(kUnitPlaces == 13);
  const VF enlarge = hn::Set(df, 0x1p-13F + 0x1p-26F);
  const VF least = hn::BitCast(df, hn::Sub(hn::BitCast(Words(), origin), word(kTo2ToMinus14)));
  VF all = hn::MulAdd(old, enlarge, origin);
  all = hn::Add(all, hn::Add(sum, least));
  all = hn::Add(all, hn::Add(sum_2, least));
  return hn::Add(hn::BitCast(Words(), hn::Sub(all, origin)), word(0x8000));
}

/// Two rows of Dst, which stand in halves of words, after two groups' sums were added.
template <u32 low, u32 high>
HWY_INLINE VS pair_with_sums(const FieldShift& shift, V stored, V fields, VF low0, VF low1,
                             VF high0, VF high1) {
  const Floats df;
  constexpr u32 kOrigin = 0x400000;
  const V upper = word(0xFFFF0000);
  const V old = shift.floats_of(stored);
  const V below = rounded_sum(hn::BitCast(df, hn::ShiftLeft<16>(old)), low0, low1,
                              hn::BitCast(df, field_of_byte<low>(fields, kOrigin)));
  const V above = rounded_sum(hn::BitCast(df, hn::And(old, upper)), high0, high1,
                              hn::BitCast(df, field_of_byte<high>(fields, kOrigin)));
  return shift.stored_of(hn::OrAnd(shift_right<16>(below), above, upper));
}

/// What Dst holds, four rows in a vector: rows 0 and 2, rows 1 and 3, and the exponents' fields.
struct OldRows {
  alignas(64) u32 even[kMaxKernelRows / 4][kRowDatums];
  alignas(64) u32 odd[kMaxKernelRows / 4][kRowDatums];
  alignas(64) u32 fields[kMaxKernelRows / 4][kRowDatums];
};

/// False if the exponents are not such that fields hold them and all results.
HWY_INLINE bool load_old_rows(const u16* rows, const FieldShift& shift, OldRows& out) {
  const Unsigned du;
  V top = hn::Zero(Words());
  V bottom = word(~0u);  // of exponents less one: of zeros nothing is smaller
  for (u32 i = 0; i < kMaxKernelRows; i += 4) {
    const u16* const four = rows + i * kRowDatums;
    for (size_t j = 0; j < kRowDatums; j += hn::Lanes(du)) {
      const V even = load_pair(four, four + 2 * kRowDatums, j);
      const V odd = load_pair(four + kRowDatums, four + 3 * kRowDatums, j);
      const V exponents =
          hn::OrAnd(hn::And(even, word(0x00FF00FF)), hn::ShiftLeft<8>(odd), word(0xFF00FF00));
      const V fields = shift.fields_of(exponents);
      top = larger_bytes(top, fields);
      bottom = hn::BitCast(Words(),
                           hn::Min(bytes_of(bottom), bytes_of(byte_sums(exponents, word(~0u)))));
      hn::Store(hn::BitCast(du, even), du, out.even[i / 4] + j);
      hn::Store(hn::BitCast(du, odd), du, out.odd[i / 4] + j);
      hn::Store(hn::BitCast(du, fields), du, out.fields[i / 4] + j);
    }
  }
  const auto too_large = hn::Gt(bytes_of(top), hn::Set(Bytes(), static_cast<u8>(kLargestOld)));
  const auto too_small = hn::Lt(bytes_of(bottom), hn::Set(Bytes(), shift.smallest_old()));
  return hn::AllFalse(Bytes(), hn::Or(too_large, too_small));
}

/// Four rows of Dst from `row` on, after the sums of two groups were added, the even rows' first.
HWY_INLINE void store_with_sums(u16* rows, const FieldShift& shift, const OldRows& old, u32 row,
                                size_t j, V fields, VF sum0, VF sum0_2, VF sum2, VF sum2_2, VF sum1,
                                VF sum1_2, VF sum3, VF sum3_2) {
  const u32 four = row / 4;
  const V all = larger_bytes(load_cells(old.fields[four] + j), fields);
  const VS even =
      pair_with_sums<0, 2>(shift, load_cells(old.even[four] + j), all, sum0, sum0_2, sum2, sum2_2);
  const VS odd =
      pair_with_sums<1, 3>(shift, load_cells(old.odd[four] + j), all, sum1, sum1_2, sum3, sum3_2);
  u16* const out = rows + row * kRowDatums + j;
  store_four(out, out + kRowDatums, out + 2 * kRowDatums, out + 3 * kRowDatums, even, odd);
}

/// False: nothing was done.
HWY_INLINE bool product_into_bf16(const NarrowProduct& product) {
  const ProductOperandA& a = *product.a;
  const ProductOperandB& b = *product.b;
  ProductFields& fields = *product.fields;
  const i32 largest =
      a.largest + b.largest + numeric::FpuMode{false, DstKind::Bf16}.product_bias(product.phase);
  // Every exponent of a product has to be positive.
  if (!a.is_narrow || !b.is_narrow || largest < 2 * kLargestNarrow - static_cast<i32>(kNarrowNone))
    return false;
  const FieldShift shift(2 * kLargestNarrow - largest);
  OldRows old;
  if (!load_old_rows(product.old, shift, old)) return false;
  if (!product.fields_are_known) find_fields(a, b, fields);
  for (size_t j = 0; j < kRowDatums; j += hn::Lanes(Words())) {
    const auto of = [&](u32 group, u32 four)
                        HWY_ATTR { return load_cells(fields.largest[group][four] + j); };
    VF low0, low1, low2, low3, low4, low5, low6, low7;
    sums_of_eight(product, 0, j, of(0, 0), of(0, 1), low0, low1, low2, low3, low4, low5, low6,
                  low7);
    VF high0, high1, high2, high3, high4, high5, high6, high7;
    sums_of_eight(product, 8, j, of(1, 0), of(1, 1), high0, high1, high2, high3, high4, high5,
                  high6, high7);
    store_with_sums(product.rows, shift, old, 0, j, larger_bytes(of(0, 0), of(1, 0)), low0, high0,
                    low2, high2, low1, high1, low3, high3);
    store_with_sums(product.rows, shift, old, 4, j, larger_bytes(of(0, 1), of(1, 1)), low4, high4,
                    low6, high6, low5, high5, low7, high7);
  }
  return true;
}

}  // namespace bhemu::tensix::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif  // BHEMU_TENSIX_FPU_KERNELS_BF16_INL
