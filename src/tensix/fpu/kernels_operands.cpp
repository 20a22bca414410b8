// Operands of matrix products in floating point, taken apart; see kernels.hpp.
#include "tensix/fpu/kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensix/fpu/kernels_operands.cpp"  // NOLINT
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "tensix/fpu/kernels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace bhemu::tensix::HWY_NAMESPACE {

/// What is taken of a cell: the bits of `all` less those of `upper` (none: 0).
struct SliceMask {
  u32 all;
  u32 upper;

  constexpr SliceMask within(u32 mask) const { return {all & mask, upper & mask}; }
};
constexpr SliceMask slice_mask_a(u32 phase) {
  return (phase & 1) == 0 ? SliceMask{0xFFF80000, 0} : SliceMask{0xFFFFC000, 0xFFF80000};
}
constexpr SliceMask slice_mask_b(u32 phase) {
  return (phase & 2) == 0 ? SliceMask{0xFFFE0000, 0} : SliceMask{0xFFFFFFFF, 0xFFFE0000};
}

/// The signed slice as a float, its exponent moved by `rebias`.
HWY_INLINE VF slice_of(V cell, SliceMask mask, V rebias) {
  const Floats df;
  const V bits = hn::And(cell, word(mask.all));
  const auto zero = hn::Eq(hn::And(bits, word(0x7F800000)), hn::Zero(Words()));
  const VF all = hn::BitCast(df, hn::IfThenZeroElse(zero, hn::Add(bits, rebias)));
  if (mask.upper == 0) return all;
  const V upper = hn::Add(hn::And(cell, word(mask.upper)), rebias);
  return hn::Sub(all, hn::BitCast(df, hn::IfThenZeroElse(zero, upper)));
}

#if HWY_TARGET == HWY_SCALAR
HWY_INLINE V smaller_bytes(V a, V b) {
  return each_byte(a, b, [](u32 x, u32 y) { return HWY_MIN(x, y); });
}
HWY_INLINE V zero_where_zero(V v, V zeros) {
  return each_byte(v, zeros, [](u32 x, u32 y) { return y == 0 ? 0 : x; });
}
/// Of each word, the byte number `index` four times.
template <u32 index>
HWY_INLINE V in_all_bytes(V v) {
  return word((static_cast<u32>(hn::GetLane(v)) >> 8 * index & 0xFF) * 0x01010101);
}
#else
HWY_INLINE V smaller_bytes(V a, V b) {
  return hn::BitCast(Words(), hn::Min(bytes_of(a), bytes_of(b)));
}
HWY_INLINE V zero_where_zero(V v, V zeros) {
  const auto zero = hn::Eq(bytes_of(zeros), hn::Zero(Bytes()));
  return hn::BitCast(Words(), hn::IfThenZeroElse(zero, bytes_of(v)));
}
/// Of each word, the byte number `index` four times.
template <u8 index>
HWY_INLINE V in_all_bytes(V v) {
  constexpr u8 a = index, b = 4 + index, c = 8 + index, d = 12 + index;
  alignas(16) static constexpr u8 kFrom[16] = {a, a, a, a, b, b, b, b, c, c, c, c, d, d, d, d};
  return hn::BitCast(Words(), hn::TableLookupBytes(bytes_of(v), hn::LoadDup128(Bytes(), kFrom)));
}
#endif

/// Of four rows of cells.
HWY_INLINE V packed_exponents(const u32* const* cells, V mask, size_t j) {
  const V first = hn::And(load_cells(cells[0] + j), mask);
  const V second = hn::And(load_cells(cells[1] + j), mask);
  const V third = hn::And(load_cells(cells[2] + j), mask);
  const V fourth = hn::And(load_cells(cells[3] + j), mask);
  const V low = hn::Or(hn::And(shift_right<23>(first), word(0xFF)),
                       hn::And(shift_right<15>(second), word(0xFF00)));
  const V high = hn::Or(hn::And(shift_right<7>(third), word(0xFF0000)),
                        hn::And(hn::ShiftLeft<1>(fourth), word(0xFF000000)));
  return hn::Or(low, high);
}

/// Of each word, the largest byte.
HWY_INLINE V largest_of_word(V v) {
  v = larger_bytes(v, shift_right<16>(v));
  return hn::And(larger_bytes(v, shift_right<8>(v)), word(0xFF));
}

/// The largest byte of `a`, and of `b` 16 places to the left.
#if HWY_TARGET == HWY_SCALAR || HWY_HAVE_SCALABLE
HWY_INLINE u32 largest_bytes(V a, V b) {
  const i32 of_a = hn::GetLane(hn::MaxOfLanes(Words(), largest_of_word(a)));
  const i32 of_b = hn::GetLane(hn::MaxOfLanes(Words(), largest_of_word(b)));
  return static_cast<u32>(of_a | of_b << 16);
}
#else
template <class D>
HWY_INLINE u32 largest_halves(D d, hn::Vec<D> v) {
  if constexpr (hn::MaxLanes(D()) > 8) {
    const hn::Half<D> half;
    return largest_halves(half, hn::Max(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  } else {
    const hn::Repartition<i32, D> words;
    v = hn::Max(v, hn::BitCast(d, hn::Shuffle1032(hn::BitCast(words, v))));
    v = hn::Max(v, hn::BitCast(d, hn::Shuffle2301(hn::BitCast(words, v))));
    return static_cast<u32>(hn::GetLane(hn::BitCast(words, v)));
  }
}
HWY_INLINE u32 largest_bytes(V a, V b) {
  const hn::Repartition<i16, Words> halves;
  const V both = hn::Or(largest_of_word(a), hn::ShiftLeft<16>(largest_of_word(b)));
  return largest_halves(halves, hn::BitCast(halves, both));
}
#endif

/// Exponents of rows of cells, a multiple of four; returns whether they are narrow.
HWY_INLINE bool note_exponents(const u32* const* cells, u32 cell_mask, u32 rows,
                               u32 (*out)[kRowDatums], i32& largest) {
  const V mask = word(cell_mask);
  V top = hn::Zero(Words());
  V bottom = word(~0u);  // of exponents less one: of zeros nothing is smaller
  for (u32 i = 0; i < rows; i += 4) {
    for (size_t j = 0; j < kRowDatums; j += hn::Lanes(Words())) {
      const V four = packed_exponents(cells + i, mask, j);
      top = larger_bytes(top, four);
      bottom = smaller_bytes(bottom, byte_sums(four, word(~0u)));
      hn::Store(hn::BitCast(Unsigned(), four), Unsigned(), out[i / 4] + j);
    }
  }
  const u32 both = largest_bytes(top, hn::Not(bottom));
  largest = static_cast<i32>(both & 0xFFFF);
  const i32 smallest = 256 - static_cast<i32>(both >> 16);
  return smallest > 255 || smallest >= largest - (kLargestNarrow - kSmallestNarrow);
}

/// The short forms of four exponents.
HWY_INLINE V narrow_of(V exponents, i32 largest) {
  const V from = word((static_cast<u32>(kLargestNarrow - largest) & 0xFF) * 0x01010101);
  return zero_where_zero(byte_sums(exponents, from), exponents);
}

void exponents_a(const MatrixJob& job, ProductOperandA& out) {
  const Unsigned du;
  out.is_narrow = note_exponents(job.a, job.mask_a, kRowDatums, out.exponents, out.largest);
  if (!out.is_narrow) return;
  for (u32 k = 0; k < kRowDatums; k += 4) {
    for (size_t j = 0; j < kRowDatums; j += hn::Lanes(du)) {
      const V four = narrow_of(load_cells(out.exponents[k / 4] + j), out.largest);
      hn::Store(hn::BitCast(du, in_all_bytes<0>(four)), du, out.narrow[k] + j);
      hn::Store(hn::BitCast(du, in_all_bytes<1>(four)), du, out.narrow[k + 1] + j);
      hn::Store(hn::BitCast(du, in_all_bytes<2>(four)), du, out.narrow[k + 2] + j);
      hn::Store(hn::BitCast(du, in_all_bytes<3>(four)), du, out.narrow[k + 3] + j);
    }
  }
}

void exponents_b(const MatrixJob& job, ProductOperandB& out) {
  const Unsigned du;
  const u32 rows = job.dst.count;
  out.is_narrow = note_exponents(job.b, job.mask_b, rows, out.exponents, out.largest);
  if (!out.is_narrow) return;
  for (u32 i = 0; i < rows; i += 4)
    for (size_t k = 0; k < kRowDatums; k += hn::Lanes(du))
      hn::Store(hn::BitCast(du, narrow_of(load_cells(out.exponents[i / 4] + k), out.largest)), du,
                out.narrow[i / 4] + k);
}

/// What is added to exponents of slices. Those of narrow operands are moved to where a unit of a
/// product, in every phase, is 2^(n - 127 - 23), n the sum of the short forms: the unit of the
/// largest ones is 2^((2 * 152 - 2 * 127) - (4 + 6) + 24), 4 and 6 the bits of the slices below the
/// hidden one, 24 what slices_b multiplies by; the lower slices have lost 5 and 7 places.
constexpr i32 move_of(bool is_narrow, i32 largest, i32 places, const MatrixJob& job) {
  static_assert(2 * 152 - 2 * 127 - (4 + 6) + 24 == 2 * kLargestNarrow - 127 - 23);
  return is_narrow ? 152 + places - largest : static_cast<i32>(rebias_of(job.mode));
}

void slices_a(const MatrixJob& job, ProductOperandA& out) {
  const u32 half = job.phase & 1;
  out.moved[half] = move_of(out.is_narrow, out.largest, half != 0 ? 5 : 0, job);
  const V rebias = word(static_cast<u32>(out.moved[half]) << 23);
  const SliceMask mask = slice_mask_a(job.phase).within(job.mask_a);
  for (u32 k = 0; k < kRowDatums; ++k) {
    for (size_t j = 0; j < kRowDatums; j += hn::Lanes(Words())) {
      const V cell = load_cells(job.a[k] + j);
      hn::Store(slice_of(cell, mask, rebias), Floats(), out.slice[half][k] + j);
    }
  }
}

void slices_b(const MatrixJob& job, ProductOperandB& out) {
  const u32 half = job.phase >> 1;
  out.moved[half] = move_of(out.is_narrow, out.largest, half != 0 ? 7 : 0, job);
  const V rebias = word(static_cast<u32>(out.moved[half]) << 23);
  const SliceMask mask = slice_mask_b(job.phase).within(job.mask_b);
  // 2^24 keeps small products normal; see the top of the file for the rest.
  const VF enlarge = hn::Set(Floats(), 16777216.f + 2048.f);
  for (u32 i = 0; i < job.dst.count; ++i) {
    for (size_t k = 0; k < kRowDatums; k += hn::Lanes(Words())) {
      const V cell = load_cells(job.b[i] + k);
      hn::Store(hn::Mul(slice_of(cell, mask, rebias), enlarge), Floats(), out.slice[half][i] + k);
    }
  }
}

}  // namespace bhemu::tensix::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bhemu::tensix {

HWY_EXPORT(exponents_a);
HWY_EXPORT(slices_a);
HWY_EXPORT(exponents_b);
HWY_EXPORT(slices_b);

void prepare_exponents_a(const MatrixJob& job, ProductOperandA& out) {
  HWY_DYNAMIC_DISPATCH(exponents_a)(job, out);
}

void prepare_slices_a(const MatrixJob& job, ProductOperandA& out) {
  HWY_DYNAMIC_DISPATCH(slices_a)(job, out);
}

void prepare_exponents_b(const MatrixJob& job, ProductOperandB& out) {
  HWY_DYNAMIC_DISPATCH(exponents_b)(job, out);
}

void prepare_slices_b(const MatrixJob& job, ProductOperandB& out) {
  HWY_DYNAMIC_DISPATCH(slices_b)(job, out);
}

}  // namespace bhemu::tensix
#endif
