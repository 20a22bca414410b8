// GMPOOL and the moves between Src and Dst as vectors; see kernels.hpp.
#include "tensix/fpu/kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensix/fpu/kernels_move.cpp"  // NOLINT
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "tensix/fpu/kernels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace bhemu::tensix::HWY_NAMESPACE {

// --- Moves -------------------------------------------------------------------------------------

/// The upper 16 bits of a datum in Dst.
template <bool five_bit>
HWY_INLINE V stored_half(V cell, V e) {
  const V sign = hn::And(shift_right<16>(cell), word(0x8000));
  const V exponent = five_bit ? hn::And(e, word(0x1F)) : e;
  const V mantissa = hn::And(shift_right<8>(cell), word(five_bit ? 0x7FE0 : 0x7F00));
  return hn::Or(hn::Or(exponent, mantissa), sign);
}

void move_kernel(const MoveJob& job) {
  const V zero = hn::Zero(Words());
  for (u32 i = 0; i < job.dst.count; ++i) {
    for (size_t j = 0; j < kRowDatums; j += hn::Lanes(Words())) {
      V cell = job.broadcast_column ? word(job.cells[i][0]) : load_cells(job.cells[i] + j);
      const V e = exponent_of(cell);
      if (job.flush) cell = hn::IfThenZeroElse(hn::Eq(e, zero), cell);
      store_halves(job.dst.high[i] + j,
                   job.five_bit ? stored_half<true>(cell, e) : stored_half<false>(cell, e));
      if (job.wide) store_halves(job.dst.low[i] + j, hn::And(cell, word(0xE000)));
    }
  }
}

#if HWY_TARGET != HWY_SCALAR
/// The same of upper halves of cells, whose exponents have eight bits.
HWY_INLINE VS stored_halves(VS upper, VS e) {
  const Shorts d;
  const VS mantissa = hn::And(hn::ShiftLeft<8>(upper), hn::Set(d, u16{0x7F00}));
  return hn::Or(hn::Or(e, mantissa), hn::And(upper, hn::Set(d, u16{0x8000})));
}
/// Those of two vectors at once. Returns how many cells that were.
template <bool flush, bool wide>
HWY_INLINE size_t move_pairs(const StraightMove& job) {
  const Shorts d;
  const u32* HWY_RESTRICT cells = job.cells;
  const size_t count = job.rows * kRowDatums / hn::Lanes(d) * hn::Lanes(d);
  for (size_t j = 0; j < count; j += hn::Lanes(d)) {
    const VS first = hn::BitCast(d, load_cells(cells + j));
    const VS second = hn::BitCast(d, load_cells(cells + j + hn::Lanes(Words())));
    const VS upper = hn::ConcatOdd(d, second, first);
    const VS e = hn::And(hn::ShiftRight<7>(upper), hn::Set(d, u16{0xFF}));
    const auto zero = hn::Eq(e, hn::Zero(d));
    const VS high = stored_halves(upper, e);
    hn::StoreU(flush ? hn::IfThenZeroElse(zero, high) : high, d, job.high + j);
    if constexpr (wide) {
      const VS low = hn::And(hn::ConcatEven(d, second, first), hn::Set(d, u16{0xE000}));
      hn::StoreU(flush ? hn::IfThenZeroElse(zero, low) : low, d, job.low + j);
    }
  }
  return count;
}
#endif

template <bool flush, bool five_bit, bool wide>
HWY_INLINE void move_straight(const StraightMove& job) {
  const u32* HWY_RESTRICT cells = job.cells;
  u16* HWY_RESTRICT high = job.high;
  u16* HWY_RESTRICT low = job.low;
  size_t j = 0;
#if HWY_TARGET != HWY_SCALAR
  if constexpr (!five_bit) j = move_pairs<flush, wide>(job);
#endif
  for (; j < job.rows * kRowDatums; j += hn::Lanes(Words())) {
    V cell = load_cells(cells + j);
    const V e = exponent_of(cell);
    if constexpr (flush) cell = hn::IfThenZeroElse(hn::Eq(e, hn::Zero(Words())), cell);
    store_halves(high + j, stored_half<five_bit>(cell, e));
    if constexpr (wide) store_halves(low + j, hn::And(cell, word(0xE000)));
  }
}

template <bool flush, bool five_bit>
HWY_INLINE void move_straight(const StraightMove& job) {
  if (job.wide)
    move_straight<flush, five_bit, true>(job);
  else
    move_straight<flush, five_bit, false>(job);
}

void straight_move_kernel(const StraightMove& job) {
  if (job.flush)
    job.five_bit ? move_straight<true, true>(job) : move_straight<true, false>(job);
  else
    job.five_bit ? move_straight<false, true>(job) : move_straight<false, false>(job);
}

template <bool tf32>
HWY_INLINE V cell_of_storage(const MoveFromDstJob& job, u32 row, size_t j) {
  const V low = tf32 || job.low ? load_halves(job.dst.old_low[row] + j) : hn::Zero(Words());
  if (tf32 && job.low)
    return hn::Or(hn::ShiftLeft<23>(hn::And(low, word(0xFF))),
                  hn::ShiftLeft<5>(hn::And(low, word(0x1F00))));
  const V half = job.low ? low : load_halves(job.dst.old_high[row] + j);
  const V sign = hn::ShiftLeft<16>(hn::And(half, word(0x8000)));
  if (job.five_bit)
    return hn::Or(sign, hn::Or(hn::ShiftLeft<23>(hn::And(half, word(0x1F))),
                               hn::ShiftLeft<8>(hn::And(half, word(0x7FE0)))));
  const V top = hn::Or(sign, hn::Or(hn::ShiftLeft<23>(hn::And(half, word(0xFF))),
                                    hn::ShiftLeft<8>(hn::And(half, word(0x7F00)))));
  return tf32 ? hn::Or(top, hn::And(low, word(0xE000))) : top;
}

template <bool tf32>
HWY_INLINE void move_rows_from_dst(const MoveFromDstJob& job) {
  for (u32 i = 0; i < job.dst.count; ++i) {
    for (size_t j = 0; j < kRowDatums; j += hn::Lanes(Words())) {
      V cell = cell_of_storage<tf32>(job, i, j);
      if (job.blocked != 0) {
        const V column = hn::Iota(Words(), static_cast<i32>(j));
        const V blocked = hn::And(hn::Shr(word(job.blocked), column), word(1));
        cell = hn::IfThenElse(hn::Eq(blocked, word(1)), load_cells(job.cells[i] + j), cell);
      }
      hn::StoreU(hn::BitCast(Unsigned(), cell), Unsigned(), job.cells[i] + j);
    }
  }
}

void move_from_dst_kernel(const MoveFromDstJob& job) {
  if (job.tf32)
    move_rows_from_dst<true>(job);
  else
    move_rows_from_dst<false>(job);
}

// --- GMPOOL. As numeric/fpu_pool.cpp, with a datum as sign << 31 | exponent << 10 | mantissa. ----

using numeric::PoolStyle;

HWY_INLINE V pool_datum_of_dst(V stored, PoolStyle style) {
  const V sign = hn::And(stored, word(0x80000000));
  if (style == PoolStyle::Int32)
    return hn::Or(sign, hn::Or(hn::And(stored, word(0xFFFF)),
                               hn::And(shift_right<8>(stored), word(0x70000))));
  const V high = shift_right<16>(stored);
  if (style == PoolStyle::Fp16)
    return hn::Or(sign, hn::Or(hn::ShiftLeft<10>(hn::Add(hn::And(high, word(0x1F)), word(15))),
                               hn::And(shift_right<5>(high), word(0x3FF))));
  V mantissa = hn::And(shift_right<5>(high), word(0x3F8));
  if (style == PoolStyle::Tf32)
    mantissa = hn::Or(mantissa, hn::And(shift_right<13>(stored), word(7)));
  const V exponent = hn::Add(hn::And(high, word(0xFF)), word(127));
  return hn::Or(sign, hn::Or(hn::ShiftLeft<10>(exponent), mantissa));
}

HWY_INLINE V dst_of_pool_datum(V datum, PoolStyle style) {
  const V zero = hn::Zero(Words());
  const V sign = hn::And(datum, word(0x80000000));
  if (style == PoolStyle::Int32) return hn::Or(sign, hn::And(datum, word(0x1FFF)));
  const V exponent = hn::And(shift_right<10>(datum), word(0x1FF));
  if (style == PoolStyle::Fp16) {
    const V biased = hn::And(hn::Sub(exponent, word(15)), word(0x1F));
    const V value =
        hn::Or(hn::ShiftLeft<21>(hn::And(datum, word(0x3FF))), hn::ShiftLeft<16>(biased));
    return hn::IfThenZeroElse(hn::Eq(hn::And(exponent, word(0x3F)), zero), hn::Or(sign, value));
  }
  const V biased = hn::And(hn::Sub(exponent, word(127)), word(0xFF));
  V value = hn::Or(hn::ShiftLeft<21>(hn::And(datum, word(0x3F8))), hn::ShiftLeft<16>(biased));
  if (style == PoolStyle::Tf32) value = hn::Or(value, hn::ShiftLeft<13>(hn::And(datum, word(7))));
  return hn::IfThenZeroElse(hn::Eq(exponent, zero), hn::Or(sign, value));
}

HWY_INLINE V pool_key(V datum) {
  return negate_where_negative(hn::And(datum, word(0x7FFFFFFF)), datum);
}

struct PoolMasks {
  u32 exponent;
  u32 mantissa;
};
constexpr PoolMasks pool_masks(PoolStyle source) {
  switch (source) {
    case PoolStyle::Int8:
      return {0, 0x3FF};
    case PoolStyle::Fp16:
      return {0x1F, 0x3FF};
    case PoolStyle::Bf16:
      return {0xFF, 0x3F8};
    default:
      return {0xFF, 0x3FF};
  }
}

/// Takes a row into account: the best datum so far with its key, and the index it came from.
HWY_INLINE void pool_step(V& datum, V& best, V& index, const PoolJob& job, PoolMasks masks, u32 row,
                          size_t j, V phase) {
  const u32 scale = numeric::cell_exponent(job.scale[row]);
  V x = word(0x8007FFFF);  // minus infinity
  if (scale != 0) {
    const V cell = load_cells(job.a[row] + j);
    const V e = exponent_of(cell);
    const V sum = hn::Add(hn::And(e, word(masks.exponent)), word(scale & masks.exponent));
    const V magnitude =
        hn::Or(hn::ShiftLeft<10>(sum), hn::And(mantissa_of(cell), word(masks.mantissa)));
    x = hn::IfThenZeroElse(hn::Eq(e, hn::Zero(Words())),
                           hn::Or(magnitude, hn::And(cell, word(0x80000000))));
  }
  const V key = pool_key(x);
  const auto less = hn::Lt(key, best);
  datum = hn::IfThenElse(less, datum, x);
  best = hn::Max(best, key);
  if (job.mode.index && row < 8)
    index =
        hn::IfThenElse(less, index, hn::Add(shift_right<4>(phase), word(numeric::kPoolIndex[row])));
}

HWY_INLINE V pooled(const PoolJob& job, PoolMasks masks, size_t j, V stored, V phase) {
  V datum = pool_datum_of_dst(stored, job.mode.dst);
  V best = pool_key(datum);
  V index = hn::And(stored, word(0xFF));
  for (u32 step = 0; step < kRowDatums; ++step)
    pool_step(datum, best, index, job, masks, numeric::pool_row(step), j, phase);
  const V value = dst_of_pool_datum(datum, job.mode.dst);
  if (!job.mode.index) return value;
  index = hn::Or(phase, index);
  return job.mode.dst == PoolStyle::Int32 ? index : hn::Or(value, index);
}

HWY_INLINE V load_stored(const PoolJob& job, u32 row, size_t j) {
  const V high = hn::ShiftLeft<16>(load_halves(job.dst.old_high[row] + j));
  return job.wide ? hn::Or(high, load_halves(job.dst.old_low[row] + j)) : high;
}
HWY_INLINE void store_stored(const PoolJob& job, u32 row, size_t j, V value) {
  store_halves(job.dst.high[row] + j, shift_right<16>(value));
  if (job.wide) store_halves(job.dst.low[row] + j, hn::And(value, word(0xFFFF)));
}
HWY_INLINE V next_phase(V stored) {
  return hn::And(hn::Add(stored, word(0x100)), word(0xF00));
}

void pool_kernel(const PoolJob& job) {
  const PoolMasks masks = pool_masks(job.mode.source);
  for (size_t j = 0; j < kRowDatums; j += hn::Lanes(Words())) {
    const V stored = load_stored(job, 0, j);
    store_stored(job, 0, j, pooled(job, masks, j, stored, next_phase(stored)));
    for (u32 i = 1; i < job.dst.count; ++i) {
      const bool counts = job.mode.index && job.wide;
      store_stored(job, i, j, counts ? next_phase(load_stored(job, i, j)) : hn::Zero(Words()));
    }
  }
}

}  // namespace bhemu::tensix::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bhemu::tensix {

HWY_EXPORT(move_kernel);
HWY_EXPORT(straight_move_kernel);
HWY_EXPORT(move_from_dst_kernel);
HWY_EXPORT(pool_kernel);

void run_move_kernel(const MoveJob& job) {
  HWY_DYNAMIC_DISPATCH(move_kernel)(job);
}
void run_straight_move(const StraightMove& job) {
  HWY_DYNAMIC_DISPATCH(straight_move_kernel)(job);
}
void run_move_from_dst_kernel(const MoveFromDstJob& job) {
  HWY_DYNAMIC_DISPATCH(move_from_dst_kernel)(job);
}
void run_pool_kernel(const PoolJob& job) {
  HWY_DYNAMIC_DISPATCH(pool_kernel)(job);
}

}  // namespace bhemu::tensix
#endif
