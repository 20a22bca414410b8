// Products into a Dst of bf16, in floats from the operands to the encoded result, where all numbers
// lie close enough together; included by kernels.cpp alone, once per target.
// tidy: allow pragma-once in this file: Highway includes it once per target
// tidy: allow macro in this file: so its guard has to toggle
//
// What follows is one computation in fields: the exponent field of a float, 127 + its exponent.
// The slices of narrow operands are scaled so that a group whose lanes have the largest short
// exponent n (a sum of two, see kernels-inl.hpp) has its unit at 2^(n - 127 - 23): a running sum
// that starts at a number M of units from 1.4 * 2^23 to 1.9 * 2^23 is a float whose field is n. An
// exponent e of the chip's is field e + `shift`, for Dst likewise.
//
// It does not matter which whole number M is: no sum that is rounded here is a tie, see below and
// at the top of kernels.cpp, and |sum| < 2^17 units never leaves its binade. Therefore fields of
// four rows, bytes of a word, become four starts by shifts alone: below a field stands what comes
// of the field beside it, from 112 to 214, which makes 1.4375 * 2^23 to 1.84 * 2^23.
//
// The accumulate step of numeric/fpu_arithmetic.hpp with E the largest field: every term is rounded
// to units of 2^(E - 127 - 23) by adding it to M' of these, and what is left without M' is their
// sum, exactly. M' is one of the starts, or 1.5 * 2^23 if Dst has the largest field.
// - A sum S of a group, in whole units of its own, d places below E, is rounded twice there: to
//   2^-13, then to whole units, ties towards plus infinity; that is floor(S / 2^d + 1/2 + 2^-14).
//   The host rounds to the nearest, therefore it gets S + c + h * 2^(d - 14), which must be
//   - for d = 0: below S + 1/2;
//   - for 0 < d < 14: between S and S + 1 and no whole number, so that there is no tie;
//   - for d = 14: between S + 1 and S + 2; for d = 15: between S + 2 and S + 3.
//   From 16 on nothing reaches a half (|S| <= 8 * 31 * 127 < 2^15 - 6, and what is added beyond it
//   grows by less than the half does). c = M / 2^29 is 0.022 to 0.029 and h = 0.73 M' / 2^23 is
//   1.04 to 1.35: that is so for all of them. The sum has 15 bits before the point and thus at
//   least 9 behind it, in which c is not lost.
// - Dst has eight significant bits, at most 2^11 units, and ties go away from zero: times
//   1 + 2^-13 they are no ties any more, and nothing else crosses one (multiples of 2^(3 - d)
//   become larger by less than 2^-d / 4). Its first rounding is exact wherever the second one
//   does not give zero.
// The result is rounded to eight bits, ties away, by adding half of the last one to the pattern.
//
// Products into the same rows one after the other keep Dst in floats in between, where nothing can
// happen that storing it and loading it again would change; see `fitting`.
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
/// Dst would lose bits in a sum with nothing, which has the field kNoLane, if its own were smaller
/// than this: three places it has to spare.
constexpr i32 kSmallestOld = static_cast<i32>(kNoLane) - 3;
/// M', and Dst with its own exponents as fields, are numbers up to here.
constexpr i32 kLargestOld = 254;
/// What products that are added one after the other may make exponents larger by.
constexpr i32 kRoom = 16;
/// 1.0 is 2^10 units, and the float 1.0 in the place of M or M' would be 2^23.
constexpr i32 kUnitPlaces = 13;

constexpr u32 four_bytes(u32 byte) {
  return byte * 0x01010101;
}

/// Fields of four rows that stand in the bytes of words: of the odd ones, each with what makes it a
/// start below it, the third one's in the upper halves.
HWY_INLINE V odd_starts(V fields) {
  return hn::BitCast(Words(), hn::ShiftRight<1>(hn::BitCast(Shorts(), fields)));
}
/// Of the even ones.
HWY_INLINE V even_starts(V fields) {
  alignas(16) static constexpr u8 kSwapped[16] = {1, 0, 3,  2,  5,  4,  7,  6,
                                                  9, 8, 11, 10, 13, 12, 15, 14};
  const auto swapped = hn::TableLookupBytes(bytes_of(fields), hn::LoadDup128(Bytes(), kSwapped));
  return odd_starts(hn::BitCast(Words(), swapped));
}
HWY_INLINE V lower_row(V starts) {
  return hn::ShiftLeft<16>(starts);
}
HWY_INLINE V larger_starts(V a, V b) {
  const hn::RebindToSigned<Shorts> d;
  return hn::BitCast(Words(), hn::Max(hn::BitCast(d, a), hn::BitCast(d, b)));
}

HWY_INLINE VS half(u32 value) {
  return hn::Set(Shorts(), static_cast<u16>(value));
}

/// What Dst holds as upper halves of floats; zero where the exponent is.
HWY_INLINE VS floats_of(VS stored) {
  const hn::RebindToSigned<Shorts> di;
  const VS rest = hn::BitCast(Shorts(), hn::ShiftRight<8>(hn::BitCast(di, stored)));
  const VS exponent = hn::And(hn::ShiftLeft<7>(stored), half(0x7F80));
  const VS all = hn::OrAnd(exponent, rest, half(0x807F));
  const auto zero = hn::Eq(hn::BitCast(di, exponent), hn::Zero(di));
  return hn::BitCast(Shorts(), hn::IfThenZeroElse(zero, hn::BitCast(di, all)));
}

/// What Dst stores for upper halves of floats whose fields are exponents plus `shift`; zero where
/// an exponent, or its field, is not positive.
HWY_INLINE VS stored_of(VS floats, i32 shift) {
  const hn::RebindToSigned<Shorts> di;
  const VS magnitude = hn::And(floats, half(0x7FFF));
  const VS number = hn::Min(hn::Sub(magnitude, half(static_cast<u32>(shift) << 7)), half(0x7F80));
  const VS fields = hn::OrAnd(hn::ShiftRight<7>(number), hn::ShiftLeft<8>(number), half(0x7F00));
  const VS all = hn::OrAnd(fields, floats, half(0x8000));
  const u32 largest_zero = static_cast<u32>(HWY_MAX(shift, 0)) << 7 | 0x7F;
  const auto is_number = hn::Gt(hn::BitCast(di, magnitude), hn::BitCast(di, half(largest_zero)));
  return hn::BitCast(Shorts(), hn::IfThenElseZero(is_number, hn::BitCast(di, all)));
}

// Sums are found for four rows and two vectors of their columns, which share what is taken of SrcB,
// or, where a vector holds a row, for eight rows.
constexpr bool kVectorIsRow = hn::MaxLanes(Words()) >= kRowDatums;
constexpr u32 kSecondRow = kVectorIsRow ? 4 : 0;
constexpr size_t kSecondColumn = kVectorIsRow ? 0 : hn::MaxLanes(Words());
constexpr u32 kBlockRows = kVectorIsRow ? 8 : 4;

/// The fields of both groups of lanes for rows of SrcB: the largest short exponents, or kNoLane.
/// Two vectors of columns share what is taken of SrcB.
HWY_INLINE void find_fields(const ProductOperandA& a, const ProductOperandB& b,
                            ProductFields& out) {
  const Unsigned du;
  for (size_t j = 0; j < kRowDatums; j += hn::Lanes(du) + kSecondColumn) {
    for (u32 group = 0; group < 2; ++group) {
      V top = word(four_bytes(kNoLane));
      V bottom = top;
      V top_2 = top;
      V bottom_2 = top;
      const auto look_at = [&](u32 lane) HWY_ATTR {
        const u32* const exponents = a.narrow[8 * group + lane];
        const V of_top = word(b.narrow[0][8 * group + lane]);
        const V of_bottom = word(b.narrow[1][8 * group + lane]);
        const V columns = load_cells(exponents + j);
        top = larger_bytes(top, byte_sums(columns, of_top));
        bottom = larger_bytes(bottom, byte_sums(columns, of_bottom));
        if constexpr (!kVectorIsRow) {
          const V columns_2 = load_cells(exponents + j + kSecondColumn);
          top_2 = larger_bytes(top_2, byte_sums(columns_2, of_top));
          bottom_2 = larger_bytes(bottom_2, byte_sums(columns_2, of_bottom));
        }
      };
      look_at(0);
      look_at(1);
      look_at(2);
      look_at(3);
      look_at(4);
      look_at(5);
      look_at(6);
      look_at(7);
      const auto store = [&](V fields, u32 four, size_t at) HWY_ATTR {
        hn::Store(hn::BitCast(du, even_starts(fields)), du, out.even[group][four] + at);
        hn::Store(hn::BitCast(du, odd_starts(fields)), du, out.odd[group][four] + at);
      };
      store(top, 0, j);
      store(bottom, 1, j);
      if constexpr (!kVectorIsRow) {
        store(top_2, 0, j + kSecondColumn);
        store(bottom_2, 1, j + kSecondColumn);
      }
    }
  }
}

/// Eight rows of Dst between products: floats whose fields are its exponents plus a number that is
/// known.
struct DstFloats {
  alignas(64) u32 row[kMaxKernelRows][kRowDatums];
};

/// S + c.
HWY_INLINE VF sum_without_start(VF sum, V start) {
  const VF m = hn::BitCast(Floats(), start);
  return hn::MulAdd(m, hn::Set(Floats(), 0x1p-29F), hn::Sub(sum, m));
}

/// What a product is made of. `shift`: its fields less the exponents.
struct Factors {
  const ProductOperandA* a;
  const ProductOperandB* b;
  ProductFields* fields;
  u32 phase;
  i32 shift;
};

/// `sum_without_start` of a group for four rows from `row` on (0 to 3), and for the second four or
/// the second columns (4 to 7).
HWY_INLINE void sums_of_eight(const Factors& product, u32 group, u32 row, size_t j, VF& sum0,
                              VF& sum1, VF& sum2, VF& sum3, VF& sum4, VF& sum5, VF& sum6,
                              VF& sum7) {
  const Floats df;
  const float(*const alpha)[kRowDatums] = product.a->slice[product.phase & 1] + 8 * group;
  const float* const beta = product.b->slice[product.phase >> 1][row] + 8 * group;
  const auto& all_even = product.fields->even[group];
  const auto& all_odd = product.fields->odd[group];
  const u32 four = row / 4;
  const V even = load_cells(all_even[four] + j);
  const V odd = load_cells(all_odd[four] + j);
  const V even_2 = load_cells(all_even[four + kSecondRow / 4] + j + kSecondColumn);
  const V odd_2 = load_cells(all_odd[four + kSecondRow / 4] + j + kSecondColumn);
  sum0 = hn::BitCast(df, lower_row(even));
  sum1 = hn::BitCast(df, lower_row(odd));
  sum2 = hn::BitCast(df, even);
  sum3 = hn::BitCast(df, odd);
  sum4 = hn::BitCast(df, lower_row(even_2));
  sum5 = hn::BitCast(df, lower_row(odd_2));
  sum6 = hn::BitCast(df, even_2);
  sum7 = hn::BitCast(df, odd_2);
  // Not inlined, all sums would be in memory.
  const auto add = [&](u32 k) HWY_ATTR __attribute__((always_inline)) {
    const VF lane = hn::Load(df, alpha[k] + j);
    const VF lane_2 = hn::Load(df, alpha[k] + j + kSecondColumn);
    const float* const of_row = beta + k;
    const float* const of_row_2 = of_row + kSecondRow * kRowDatums;
    sum0 = hn::MulAdd(lane, hn::Set(df, of_row[0]), sum0);
    sum4 = hn::MulAdd(lane_2, hn::Set(df, of_row_2[0]), sum4);
    sum1 = hn::MulAdd(lane, hn::Set(df, of_row[kRowDatums]), sum1);
    sum5 = hn::MulAdd(lane_2, hn::Set(df, of_row_2[kRowDatums]), sum5);
    sum2 = hn::MulAdd(lane, hn::Set(df, of_row[2 * kRowDatums]), sum2);
    sum6 = hn::MulAdd(lane_2, hn::Set(df, of_row_2[2 * kRowDatums]), sum6);
    sum3 = hn::MulAdd(lane, hn::Set(df, of_row[3 * kRowDatums]), sum3);
    sum7 = hn::MulAdd(lane_2, hn::Set(df, of_row_2[3 * kRowDatums]), sum7);
  };
  add(0);
  add(1);
  add(2);
  add(3);
  add(4);
  add(5);
  add(6);
  add(7);
  sum0 = sum_without_start(sum0, lower_row(even));
  sum1 = sum_without_start(sum1, lower_row(odd));
  sum2 = sum_without_start(sum2, even);
  sum3 = sum_without_start(sum3, odd);
  sum4 = sum_without_start(sum4, lower_row(even_2));
  sum5 = sum_without_start(sum5, lower_row(odd_2));
  sum6 = sum_without_start(sum6, even_2);
  sum7 = sum_without_start(sum7, odd_2);
}

/// Adds two groups' sums to what a part of a row holds. `start` has the larger of their fields.
/// `places`: what the row's fields are below those of this product. `is_zero`: the row holds
/// nothing but zeros. Their field is `places`, at most kNarrowNone, and thus below that of every
/// group whose lanes are not all zero; if all are, nothing is what comes of it with any start.
template <bool is_zero>
HWY_INLINE void add_sums(u32* row, i32 places, V start, VF sum, VF sum_2) {
  const Words dw;
  const Floats df;
  VF origin = hn::BitCast(df, start);
  VF all = origin;
  if constexpr (!is_zero) {
    const V old = load_cells(row);
    constexpr u32 kOne = 127;
    // In units of M', without a tie.
    const u32 by = (kOne + static_cast<u32>(places - kUnitPlaces)) << 23;
    const VF enlarge = hn::BitCast(df, word(by | 1u << (23 - 13)));
    const V field = hn::And(old, word(0x7F800000));
    origin = hn::BitCast(
        df, hn::Max(hn::Add(field, word((static_cast<u32>(places) << 23) + 0x400000)), start));
    all = hn::MulAdd(hn::BitCast(df, old), enlarge, origin);
  }
  const VF least = hn::Set(df, 0.73F * 0x1p-37F);
  all = hn::Add(all, hn::MulAdd(origin, least, sum));
  all = hn::Add(all, hn::MulAdd(origin, least, sum_2));
  const V bits = hn::Add(hn::BitCast(dw, hn::Sub(all, origin)), word(0x8000));
  hn::Store(hn::BitCast(Unsigned(), hn::And(bits, word(0xFFFF0000))), Unsigned(), row);
}

/// Adds a product whose fields are known to kBlockRows rows from `row` on. What comes of it has
/// fields kUnitPlaces below its own.
template <bool is_zero>
HWY_NOINLINE void add_to_block(const Factors& product, u32 row, i32 places, DstFloats& dst) {
  const auto& even = product.fields->even;
  const auto& odd = product.fields->odd;
  const u32 four = row / 4;
  const u32 four_2 = four + kSecondRow / 4;
  const u32 row_2 = row + kSecondRow;
  for (size_t j = 0; j < kRowDatums; j += hn::Lanes(Words()) + kSecondColumn) {
    VF low0, low1, low2, low3, low4, low5, low6, low7;
    sums_of_eight(product, 0, row, j, low0, low1, low2, low3, low4, low5, low6, low7);
    VF high0, high1, high2, high3, high4, high5, high6, high7;
    sums_of_eight(product, 1, row, j, high0, high1, high2, high3, high4, high5, high6, high7);
    const V even_1 = larger_starts(load_cells(even[0][four] + j), load_cells(even[1][four] + j));
    const V odd_1 = larger_starts(load_cells(odd[0][four] + j), load_cells(odd[1][four] + j));
    add_sums<is_zero>(dst.row[row] + j, places, lower_row(even_1), low0, high0);
    add_sums<is_zero>(dst.row[row + 1] + j, places, lower_row(odd_1), low1, high1);
    add_sums<is_zero>(dst.row[row + 2] + j, places, even_1, low2, high2);
    add_sums<is_zero>(dst.row[row + 3] + j, places, odd_1, low3, high3);
    const size_t j_2 = j + kSecondColumn;
    const V even_2 =
        larger_starts(load_cells(even[0][four_2] + j_2), load_cells(even[1][four_2] + j_2));
    const V odd_2 =
        larger_starts(load_cells(odd[0][four_2] + j_2), load_cells(odd[1][four_2] + j_2));
    add_sums<is_zero>(dst.row[row_2] + j_2, places, lower_row(even_2), low4, high4);
    add_sums<is_zero>(dst.row[row_2 + 1] + j_2, places, lower_row(odd_2), low5, high5);
    add_sums<is_zero>(dst.row[row_2 + 2] + j_2, places, even_2, low6, high6);
    add_sums<is_zero>(dst.row[row_2 + 3] + j_2, places, odd_2, low7, high7);
  }
}

/// Rows of Dst, as they are stored and in order, to floats whose fields are its exponents. False if
/// an exponent that is not zero is below `smallest` or above `largest`.
HWY_INLINE bool load_dst(const u16* rows, i32 smallest, i32 largest, DstFloats& out) {
  const Shorts d;
  const Words dw;
  const hn::Half<Shorts> half_d;
  u32* const to = out.row[0];
  auto top = hn::Zero(Bytes());
  auto bottom = hn::Set(Bytes(), 255);  // of exponents less one: of zeros nothing is smaller
  for (size_t i = 0; i < kMaxKernelRows * kRowDatums; i += hn::Lanes(d)) {
    const VS stored = hn::LoadU(d, rows + i);
    const auto exponents = hn::BitCast(Bytes(), hn::And(stored, half(0xFF)));
    top = hn::Max(top, exponents);
    bottom = hn::Min(bottom, hn::Add(exponents, hn::Set(Bytes(), 255)));
    const VS floats = floats_of(stored);
    const auto store = [&](auto halves, u32* words) HWY_ATTR {
      const V v = hn::ShiftLeft<16>(hn::PromoteTo(dw, halves));
      hn::Store(hn::BitCast(Unsigned(), v), Unsigned(), words);
    };
    store(hn::LowerHalf(half_d, floats), to + i);
    store(hn::UpperHalf(half_d, floats), to + i + hn::Lanes(dw));
  }
  const auto byte = [](i32 v) HWY_ATTR {
    return hn::Set(Bytes(), static_cast<u8>(HWY_MIN(HWY_MAX(v, 0), 255)));
  };
  const auto too_large = hn::Gt(top, byte(largest));
  const auto too_small = hn::Lt(bottom, byte(smallest - 1));
  return hn::AllFalse(Bytes(), hn::Or(too_large, too_small));
}

/// The other way; see `stored_of`.
HWY_INLINE void store_dst(const DstFloats& dst, i32 shift, u16* rows) {
  const Shorts d;
  const u32* const from = dst.row[0];
  for (size_t i = 0; i < kMaxKernelRows * kRowDatums; i += hn::Lanes(d)) {
    const auto words = [&](size_t at) HWY_ATTR { return hn::BitCast(d, load_cells(from + at)); };
    const VS floats = hn::ConcatOdd(d, words(i + hn::Lanes(Words())), words(i));
    hn::StoreU(stored_of(floats, shift), d, rows + i);
  }
}

/// The products of a chain.
class ChainOfProducts {
 public:
  ChainOfProducts(ProductSources& sources, const NarrowProduct* list, ProductChain& chain)
      : sources_(sources), list_(list), chain_(chain) {}

  /// False: one is left.
  HWY_INLINE bool multiply() {
    while (chain_.first != ProductChain::kNone) {
      Shifts shifts{0, 0};
      u32 count = fitting(shifts);
      if (count == 0) return false;
      DstFloats dst;
      if (!load_old(shifts, count, dst)) return false;
      add(count, dst);
    }
    return true;
  }

 private:
  /// What the shifts of products lie between that are added to Dst one after the other.
  struct Shifts {
    i32 least;
    i32 most;
  };

  HWY_INLINE u32 pair_of(u32 i) const { return list_[i].a * kProductOperands + list_[i].b; }
  HWY_INLINE u32 next(u32 i) const {
    return list_[i].skip == 0 ? ProductChain::kNone : i + list_[i].skip;
  }
  HWY_INLINE Factors factors_of(u32 i) const {
    const NarrowProduct& product = list_[i];
    const ProductOperandA* const a = sources_.a + product.a;
    const ProductOperandB* const b = sources_.b + product.b;
    const i32 bias = numeric::FpuMode{false, DstKind::Bf16}.product_bias(product.phase);
    return {a, b, sources_.fields + pair_of(i), product.phase,
            2 * kLargestNarrow - a->largest - b->largest - bias};
  }

  /// From the first on, how many can be added with Dst in floats in between, if an exponent of Dst
  /// allows it. A product whose lanes are not all zero has a field of at least 2 * kSmallestNarrow,
  /// and what comes of it that is not zero one of at least 118, ten places less; one with nothing
  /// but zeros leaves Dst as it is. So
  /// - it has a field of at least kSmallestOld beside every other product if their shifts are not
  ///   more than nine apart;
  /// - its exponent is above zero if no shift is above 117;
  /// - 64 products are below 64 * 64 * 2^largest together, largest being the exponent of field
  ///   2 * kLargestNarrow, and with what rounding adds below 2^(largest + 13): their exponents fit,
  ///   and their fields too (kRoom more than the largest one's), if Dst leaves room for them.
  HWY_INLINE u32 fitting(Shifts& shifts) {
    constexpr i32 kLeastResult = 2 * kSmallestNarrow - 10;
    u32 count = 0;
    for (u32 i = chain_.first; i != ProductChain::kNone && count < kMost; i = next(i)) {
      const Factors factors = factors_of(i);
      const i32 shift = factors.shift;
      // Every exponent of a product has to be positive, and the difference to its field small.
      if (!factors.a->is_narrow || !factors.b->is_narrow || shift > static_cast<i32>(kNarrowNone) ||
          shift < -100)
        break;
      if (count == 0) {
        shifts = {shift, shift};
      } else {
        const Shifts all{HWY_MIN(shifts.least, shift), HWY_MAX(shifts.most, shift)};
        if (all.most - all.least > kLeastResult - kSmallestOld || all.most >= kLeastResult ||
            2 * kLargestNarrow - all.least + kRoom > kLargestOld)
          break;
        shifts = all;
      }
      factors_[count++] = factors;
    }
    return count;
  }

  /// What the first ones are added to: all of them, or one alone, if Dst allows that only.
  HWY_INLINE bool load_old(const Shifts& shifts, u32& count, DstFloats& dst) const {
    if (chain_.old == nullptr) return true;  // zeros
    if (count != 1 && load_dst(chain_.old, kSmallestOld - shifts.least,
                               kLargestOld - kRoom - HWY_MAX(shifts.most, 0), dst))
      return true;
    count = 1;
    const i32 shift = factors_[0].shift;
    return load_dst(chain_.old, kSmallestOld - shift, kLargestOld - HWY_MAX(shift, 0), dst);
  }

  /// Adds the first ones to what Dst held.
  HWY_INLINE void add(u32 count, DstFloats& dst) {
    for (u32 i = 0; i < count; ++i) {
      const Factors& factors = factors_[i];
      const u64 bit = u64{1} << pair_of(chain_.first);
      if ((sources_.known & bit) == 0) find_fields(*factors.a, *factors.b, *factors.fields);
      sources_.known |= bit;
      chain_.first = next(chain_.first);
    }
    i32 shift = 0;
    for (u32 row = 0; row < kMaxKernelRows; row += kBlockRows) {
      shift = 0;
      for (u32 i = 0; i < count; ++i) {
        const i32 places = factors_[i].shift - shift;
        if (i == 0 && chain_.old == nullptr)
          add_to_block<true>(factors_[0], row, places, dst);
        else
          add_to_block<false>(factors_[i], row, places, dst);
        shift = factors_[i].shift - kUnitPlaces;
      }
    }
    store_dst(dst, shift, chain_.rows);
    chain_.old = chain_.rows;
  }

  static constexpr u32 kMost = 64;

  ProductSources& sources_;
  const NarrowProduct* list_;
  ProductChain& chain_;
  Factors factors_[kMost];  // of the first ones
};

}  // namespace bhemu::tensix::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif  // BHEMU_TENSIX_FPU_KERNELS_BF16_INL
