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
};
/// By the half of the mantissa.
constexpr SliceMask kSlicesA[] = {{0xFFF80000, 0}, {0xFFFFC000, 0xFFF80000}};
constexpr SliceMask kSlicesB[] = {{0xFFFE0000, 0}, {0xFFFFFFFF, 0xFFFE0000}};

/// The signed slice as a float, its exponent moved by `rebias`. `all`, `upper`: as SliceMask has
/// them, without the bits that do not count.
template <bool is_difference>
HWY_INLINE VF slice_of(V cell, V all, V upper, V rebias) {
  const Floats df;
  const V bits = hn::And(cell, all);
  const auto zero = hn::Eq(hn::And(bits, word(0x7F800000)), hn::Zero(Words()));
  const VF slice = hn::BitCast(df, hn::IfThenZeroElse(zero, hn::Add(bits, rebias)));
  if (!is_difference) return slice;
  const V less = hn::Add(hn::And(cell, upper), rebias);
  return hn::Sub(slice, hn::BitCast(df, hn::IfThenZeroElse(zero, less)));
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

/// Rows of cells: groups of eight that lie one after the other, or each somewhere.
struct GroupedRows {
  const u32* group[2];
  HWY_INLINE GroupedRows eight(u32 index) const { return {{group[index], nullptr}}; }
  HWY_INLINE const u32* operator[](u32 index) const { return group[0] + index * kRowDatums; }
};
struct SingleRows {
  const u32* const* row;
  HWY_INLINE SingleRows eight(u32 index) const { return {row + 8 * index}; }
  HWY_INLINE const u32* operator[](u32 index) const { return row[index]; }
};

/// Of four rows of cells from `first` on. Whatever the format is, no bit of an exponent is left
/// out.
static_assert((numeric::kCellAll & numeric::kCellBf16) >> 23 == 0x1FF);
template <class Rows>
HWY_INLINE V packed_exponents(const Rows& rows, u32 first, size_t j) {
  const V one = load_cells(rows[first] + j);
  const V two = load_cells(rows[first + 1] + j);
  const V three = load_cells(rows[first + 2] + j);
  const V four = load_cells(rows[first + 3] + j);
  const V low = hn::Or(hn::And(shift_right<23>(one), word(0xFF)),
                       hn::And(shift_right<15>(two), word(0xFF00)));
  const V high = hn::Or(hn::And(shift_right<7>(three), word(0xFF0000)),
                        hn::And(hn::ShiftLeft<1>(four), word(0xFF000000)));
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
template <class Rows>
HWY_INLINE bool note_exponents(const Rows& all_rows, u32 count, u32 (*out)[kRowDatums],
                               i32& largest) {
  V top = hn::Zero(Words());
  V bottom = word(~0u);  // of exponents less one: of zeros nothing is smaller
  for (u32 i = 0; i < count; i += 4) {
    const auto rows = all_rows.eight(i / 8);
    for (size_t j = 0; j < kRowDatums; j += hn::Lanes(Words())) {
      const V four = packed_exponents(rows, i % 8, j);
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

template <class Rows>
HWY_INLINE void exponents(const Rows& rows, ProductOperandA& out) {
  const Unsigned du;
  out.is_narrow = note_exponents(rows, kRowDatums, out.exponents, out.largest);
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

template <class Rows>
HWY_INLINE void exponents(const Rows& rows, u32 count, ProductOperandB& out) {
  const Unsigned du;
  out.is_narrow = note_exponents(rows, count, out.exponents, out.largest);
  if (!out.is_narrow) return;
  for (u32 i = 0; i < count; i += 4) {
    for (size_t k = 0; k < kRowDatums; k += hn::Lanes(du))
      hn::Store(hn::BitCast(du, narrow_of(load_cells(out.exponents[i / 4] + k), out.largest)), du,
                out.narrow[i / 4] + k);
  }
}

/// What is added to exponents of slices. Those of narrow operands are moved to where a unit of a
/// product, in every phase, is 2^(n - 127 - 23), n the sum of the short forms: the unit of the
/// largest ones is 2^((2 * 152 - 2 * 127) - (4 + 6) + 24), 4 and 6 the bits of the slices below the
/// hidden one, 24 what slices_b multiplies by; the lower slices have lost 5 and 7 places.
constexpr i32 move_of(bool is_narrow, i32 largest, i32 places, const numeric::FpuMode& mode) {
  static_assert(2 * 152 - 2 * 127 - (4 + 6) + 24 == 2 * kLargestNarrow - 127 - 23);
  return is_narrow ? 152 + places - largest : static_cast<i32>(rebias_of(mode));
}

template <u32 half, class Rows>
HWY_INLINE void slices(const Rows& all_rows, const OperandSettings& settings,
                       ProductOperandA& out) {
  constexpr SliceMask kMask = kSlicesA[half];
  const i32 moved = move_of(out.is_narrow, out.largest, half != 0 ? 5 : 0, settings.mode);
  out.moved[half] = moved;
  const V rebias = word(static_cast<u32>(moved) << 23);
  const V all = word(kMask.all & settings.mask_a);
  const V upper = word(kMask.upper & settings.mask_a);
  for (u32 eight = 0; eight < 2; ++eight) {
    const auto rows = all_rows.eight(eight);
    for (u32 k = 0; k < 8; ++k)
      for (size_t j = 0; j < kRowDatums; j += hn::Lanes(Words()))
        hn::Store(slice_of<kMask.upper != 0>(load_cells(rows[k] + j), all, upper, rebias), Floats(),
                  out.slice[half][8 * eight + k] + j);
  }
}

template <u32 half, class Rows>
HWY_INLINE void slices(const Rows& all_rows, u32 count, const OperandSettings& settings,
                       ProductOperandB& out) {
  constexpr SliceMask kMask = kSlicesB[half];
  const i32 moved = move_of(out.is_narrow, out.largest, half != 0 ? 7 : 0, settings.mode);
  out.moved[half] = moved;
  const V rebias = word(static_cast<u32>(moved) << 23);
  const V all = word(kMask.all & settings.mask_b);
  const V upper = word(kMask.upper & settings.mask_b);
  // 2^24 keeps small products normal; see the top of kernels.cpp for the rest.
  const VF enlarge = hn::Set(Floats(), 16777216.f + 2048.f);
  const auto rows = all_rows.eight(0);
  for (u32 i = 0; i < count; ++i)
    for (size_t k = 0; k < kRowDatums; k += hn::Lanes(Words()))
      hn::Store(
          hn::Mul(slice_of<kMask.upper != 0>(load_cells(rows[i] + k), all, upper, rebias), enlarge),
          Floats(), out.slice[half][i] + k);
}

template <class Rows>
HWY_INLINE void take_a_apart(const Rows& rows, u32 half, const OperandSettings& settings,
                             ProductOperandA& a) {
  if (half == 0)
    slices<0>(rows, settings, a);
  else
    slices<1>(rows, settings, a);
}

template <class Rows>
HWY_INLINE void take_b_apart(const Rows& rows, u32 count, u32 half, const OperandSettings& settings,
                             ProductOperandB& b) {
  if (half == 0)
    slices<0>(rows, count, settings, b);
  else
    slices<1>(rows, count, settings, b);
}

// One after the other without anything between: an operand's largest exponent comes late, and the
// host goes on with the next one meanwhile.
void take_operands_apart(const OperandJob* jobs, u32 count, const OperandSettings& settings) {
  for (u32 i = 0; i < count; ++i) {
    const OperandJob& job = jobs[i];
    const GroupedRows rows{{job.rows[0], job.rows[1]}};
    if (job.a != nullptr) {
      if (job.with_exponents) exponents(rows, *job.a);
      take_a_apart(rows, job.half, settings, *job.a);
    } else {
      if (job.with_exponents) exponents(rows, kMaxKernelRows, *job.b);
      take_b_apart(rows, kMaxKernelRows, job.half, settings, *job.b);
    }
  }
}

void take_job_apart(const MatrixJob& job, ProductOperandA& a, ProductOperandB& b) {
  const OperandSettings settings{job.mask_a, job.mask_b, job.mode};
  const SingleRows rows_a{job.a};
  const SingleRows rows_b{job.b};
  exponents(rows_a, a);
  take_a_apart(rows_a, job.phase & 1, settings, a);
  exponents(rows_b, job.dst.count, b);
  take_b_apart(rows_b, job.dst.count, job.phase >> 1, settings, b);
}

}  // namespace bhemu::tensix::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bhemu::tensix {

HWY_EXPORT(take_operands_apart);

void prepare_operands(const OperandJob* jobs, u32 count, const OperandSettings& settings) {
  HWY_DYNAMIC_DISPATCH(take_operands_apart)(jobs, count, settings);
}

HWY_EXPORT(take_job_apart);

void prepare_operands(const MatrixJob& job, ProductOperandA& a, ProductOperandB& b) {
  HWY_DYNAMIC_DISPATCH(take_job_apart)(job, a, b);
}

}  // namespace bhemu::tensix
#endif
