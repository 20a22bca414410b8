// Vectors of the vector unit's lanes: what the kernels of sfpu_kernels.cpp and sfpu_block.cpp
// share. Nothing of it for the portable kind of host. tidy: allow pragma-once in this file: Highway
// includes it once per target tidy: allow macro in this file: so its guard toggles, and what a
// target has is asked
#if defined(BHEMU_NUMERIC_SFPU_KERNELS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef BHEMU_NUMERIC_SFPU_KERNELS_INL
#undef BHEMU_NUMERIC_SFPU_KERNELS_INL
#else
#define BHEMU_NUMERIC_SFPU_KERNELS_INL
#endif

#include <array>
#include <cstring>

#include <hwy/highway.h>

#include "numeric/sfpu_convert.hpp"
#include "numeric/sfpu_float.hpp"
#include "numeric/sfpu_kernels.hpp"

// The sums need a fused multiply-add, which not every target of Highway has: there, lane by lane.
// Which of those a program gets depends on the version of Highway: 1.2 has SSE2, 1.0.3 has not.
#undef BHEMU_SFPU_VECTORS
#if HWY_ARCH_X86
#define BHEMU_SFPU_VECTORS (HWY_TARGET <= HWY_AVX2)
#else
#define BHEMU_SFPU_VECTORS (HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128)
#endif

#if BHEMU_SFPU_VECTORS
HWY_BEFORE_NAMESPACE();
namespace bhemu::numeric::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<u32, kLanes>;
using V = hn::Vec<D>;
using Signed = hn::RebindToSigned<D>;
using S = hn::Vec<Signed>;
using M = hn::Mask<Signed>;
using Float = hn::RebindToFloat<D>;
using F = hn::Vec<Float>;

HWY_INLINE V set(u32 value) {
  return hn::Set(D(), value);
}
HWY_INLINE V load(const Lanes& lanes, std::size_t i) {
  return hn::Load(D(), &lanes.lane[i]);
}

/// v / 2^places with bit 0 sticky; shifted out completely, nothing is left.
HWY_INLINE V align(V v, V places) {
  const D d;
  places = hn::Min(places, hn::Set(d, 31));
  const V kept = hn::Shr(v, places);
  const auto lost = hn::And(hn::Ne(hn::Shl(kept, places), v), hn::Ne(kept, hn::Zero(d)));
  return hn::Or(kept, hn::IfThenElseZero(lost, hn::Set(d, 1)));
}

/// `magnitude` with the sign of `sign`.
HWY_INLINE S signed_value(V magnitude, V sign) {
  const Signed s;
  const S negative = hn::BroadcastSignBit(hn::BitCast(s, sign));
  return hn::Sub(hn::Xor(hn::BitCast(s, magnitude), negative), negative);
}

/// The product of two significands / 2^20 with a sticky bit.
HWY_INLINE V multiply(V x, V y) {
  const D d;
  const hn::RepartitionToWide<D> wide;
  const V top = hn::Set(d, 0x80000000);
  // Together 12 places up: the high word is the quotient, the low word what is lost.
  const V a = hn::ShiftRight<4>(hn::Or(hn::ShiftLeft<8>(x), top));
  const V b = hn::Or(hn::ShiftLeft<8>(y), top);
  const auto even = hn::MulEven(a, b);
  const auto odd = hn::MulEven(hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(wide, a))),
                               hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(wide, b))));
  const V high = hn::OddEven(hn::BitCast(d, odd), hn::BitCast(d, hn::ShiftRight<32>(even)));
  const V low = hn::OddEven(hn::BitCast(d, hn::ShiftLeft<32>(odd)), hn::BitCast(d, even));
  return hn::Or(high, hn::IfThenElseZero(hn::Ne(low, hn::Zero(d)), hn::Set(d, 1)));
}

/// Ranks of the least ordinary factors and terms, 2^-50 and 2^-125.
inline constexpr u32 kLeastFactor = 2 * (77u << 23) - 2;
inline constexpr u32 kLeastTerm = 2 * (2u << 23) - 2;

/// Twice the magnitude less one: zero becomes the greatest number.
HWY_INLINE V rank(V v) {
  const D d;
  return hn::Sub(hn::Add(v, v), hn::Set(d, 1));
}

/// sfpu_mul_add in lanes whose product is not exact in 24 bits, whose addend is not zero, and which
/// are not `alike` (below): each operand as an integer of which 2^26 stands for 1.0 at the larger
/// exponent, with a sticky bit. In such lanes the product is either the larger operand or at most
/// two places from it, so that its upper part is an integer. `rounded` is x * y as the host rounds
/// it, `lost` what the rounding lost.
HWY_INLINE F sum_of_integers(V x, V y, V z, F rounded, F lost) {
  const D d;
  const Signed s;
  const Float f;
  const V sign = hn::Set(d, kFp32Sign);
  const V one = hn::Set(d, 1);
  const V e = hn::Sub(hn::Add(hn::ShiftRight<24>(hn::Add(x, x)), hn::ShiftRight<24>(hn::Add(y, y))),
                      hn::Set(d, 127));
  const V base = hn::Max(e, hn::ShiftRight<24>(hn::Add(z, z)));
  const auto scale = hn::BitCast(f, hn::ShiftLeft<23>(hn::Sub(hn::Set(d, 127 + 153), base)));
  const auto back = hn::BitCast(f, hn::ShiftLeft<23>(hn::Sub(base, hn::Set(d, 26))));

  const V product = hn::BitCast(d, rounded);
  const V product_sign = hn::And(product, sign);
  const auto upper = hn::Mul(hn::BitCast(f, hn::Xor(product, product_sign)), scale);
  const auto lower = hn::Mul(hn::BitCast(f, hn::Xor(hn::BitCast(d, lost), product_sign)), scale);
  const auto lower_whole = hn::Floor(lower);
  const V p =
      hn::Or(hn::BitCast(d, hn::Add(hn::ConvertTo(s, upper), hn::ConvertTo(s, lower_whole))),
             hn::IfThenElseZero(hn::RebindMask(d, hn::Ne(lower, lower_whole)), one));
  const auto term = hn::Mul(hn::Abs(hn::BitCast(f, z)), scale);
  const auto term_whole = hn::Floor(term);
  // Shifted out completely, nothing is left.
  const auto sticky = hn::And(hn::Ne(term, term_whole), hn::Ne(term_whole, hn::Zero(f)));
  const V q = hn::Or(hn::BitCast(d, hn::ConvertTo(s, term_whole)),
                     hn::IfThenElseZero(hn::RebindMask(d, sticky), one));
  const S total = hn::Add(hn::BitCast(s, p), signed_value(q, hn::Xor(product, z)));
  const auto value = hn::Mul(hn::ConvertTo(f, total), back);
  return hn::Xor(value, hn::BitCast(f, product_sign));
}

/// sfpu_mul_add of operands and results of ordinary size, with the host's fused multiply-add where
/// it must give the same bits. False: some lane is not ordinary.
///
/// sfpu_mul_add adds two operands of which the product may have lost low bits to a sticky bit, and
/// of which the one with the smaller exponent may have, and rounds the sum. A sticky bit stands for
/// what is lost if the other operand has nothing in its place and the sum keeps its leading bits.
/// So the host's result is right if the product has 24 bits or fewer; if the addend is zero; or if
/// the two are alike: the addend's exponent at most 2 below the product's, and the sum not much
/// smaller than either. Denormals, results close to them, NaN and infinities are not ordinary.
HWY_INLINE bool ordinary_mul_add(V x, V y, V z, V& out) {
  const D d;
  const Float f;
  const auto a = hn::BitCast(f, x);
  const auto b = hn::BitCast(f, y);
  const auto c = hn::BitCast(f, z);
  const F rounded = hn::Mul(a, b);
  const F lost = hn::MulSub(a, b, rounded);
  const F fused = hn::MulAdd(a, b, c);
  out = hn::BitCast(d, fused);

  const auto large = hn::And(hn::Gt(hn::Min(rank(x), rank(y)), hn::Set(d, kLeastFactor)),
                             hn::Gt(hn::Min(rank(z), rank(out)), hn::Set(d, kLeastTerm)));
  const auto sum = hn::Abs(fused);
  const auto product = hn::Abs(rounded);
  const auto infinity = hn::BitCast(f, hn::Set(d, kFp32Infinity));
  const auto finite = hn::And(hn::Lt(sum, infinity), hn::Lt(product, infinity));
  if (HWY_UNLIKELY(!hn::AllTrue(f, hn::And(hn::RebindMask(f, large), finite)))) return false;
  const auto exact = hn::Eq(lost, hn::Zero(f));
  if (HWY_LIKELY(hn::AllTrue(f, exact))) return true;
  const auto term = hn::Abs(c);
  const auto alike = hn::And(hn::Le(product, hn::Mul(term, hn::Set(f, 4.0f))),
                             hn::Ge(hn::Add(sum, sum), hn::Max(product, term)));
  const auto same = hn::Or(hn::Or(exact, alike), hn::Eq(c, hn::Zero(f)));
  if (hn::AllTrue(f, same)) return true;
  out = hn::BitCast(d, hn::IfThenElse(same, fused, sum_of_integers(x, y, z, rounded, lost)));
  return true;
}

/// NaN, infinities, and products that overflow by themselves.
HWY_INLINE V special_mul_add(V x, V y, V z) {
  const D d;
  const V sign = hn::Set(d, kFp32Sign);
  const V infinity = hn::Set(d, kFp32Infinity);
  const V least = hn::Set(d, 0x00800000);
  const V ax = hn::AndNot(sign, x);
  const V ay = hn::AndNot(sign, y);
  const V az = hn::AndNot(sign, z);
  const V product_sign = hn::And(hn::Xor(x, y), sign);
  const auto x_infinite = hn::Eq(ax, infinity);
  const auto y_infinite = hn::Eq(ay, infinity);
  const auto z_infinite = hn::Eq(az, infinity);
  const auto no_product =
      hn::Or(hn::And(x_infinite, hn::Lt(ay, least)), hn::And(y_infinite, hn::Lt(ax, least)));
  const auto opposed = hn::And(hn::And(hn::Or(x_infinite, y_infinite), z_infinite),
                               hn::Ne(product_sign, hn::And(z, sign)));
  const auto nan =
      hn::Or(hn::Or(hn::Gt(hn::Max(hn::Max(ax, ay), az), infinity), no_product), opposed);
  const V value = hn::IfThenElse(z_infinite, z, hn::Or(product_sign, infinity));
  return hn::IfThenElse(nan, hn::Set(d, kFp32Nan), value);
}

/// As sfpu_mul_add. The sum of the aligned operands has less than 30 bits, so that the host's exact
/// conversion of an integer to FP32 normalises and rounds it. `slow`: lanes that the scalar
/// function must do.
HWY_INLINE V mul_add(V x, V y, V z, M& slow) {
  const D d;
  const Signed s;
  const V field = hn::Set(d, 0xFF);
  const V sign = hn::Set(d, 0x80000000);
  const V ex = hn::And(hn::ShiftRight<23>(x), field);
  const V ey = hn::And(hn::ShiftRight<23>(y), field);
  const V ez = hn::And(hn::ShiftRight<23>(z), field);
  const V product_sign = hn::Xor(x, y);

  const S sum_of_exponents = hn::BitCast(s, hn::Sub(hn::Add(ex, ey), hn::Set(d, 127)));
  const M product_counts = hn::And(hn::Gt(hn::BitCast(s, hn::Min(ex, ey)), hn::Zero(s)),
                                   hn::Gt(sum_of_exponents, hn::Set(s, -1)));
  const S e = hn::IfThenElseZero(product_counts, sum_of_exponents);
  const V p = hn::BitCast(d, hn::IfThenElseZero(product_counts, hn::BitCast(s, multiply(x, y))));
  const V q = hn::IfThenZeroElse(hn::Eq(ez, hn::Zero(d)),
                                 hn::ShiftRight<5>(hn::Or(hn::ShiftLeft<8>(z), sign)));
  const S base = hn::Max(e, hn::BitCast(s, ez));
  const S total = hn::Add(signed_value(align(p, hn::BitCast(d, hn::Sub(base, e))), product_sign),
                          signed_value(align(q, hn::Sub(hn::BitCast(d, base), ez)), z));

  const V f = hn::BitCast(d, hn::ConvertTo(hn::RebindToFloat<D>(), total));
  const S scale = hn::Sub(base, hn::Set(s, 127 + 26));
  const S exponent = hn::Add(hn::BitCast(s, hn::And(hn::ShiftRight<23>(f), field)), scale);
  const M zero = hn::Eq(total, hn::Zero(s));
  const M overflow = hn::Gt(exponent, hn::Set(s, 254));
  S value = hn::BitCast(s, hn::Add(f, hn::ShiftLeft<23>(hn::BitCast(d, scale))));
  value = hn::IfThenElse(
      overflow, hn::BitCast(s, hn::Or(hn::And(f, sign), hn::Set(d, kFp32Infinity))), value);
  value = hn::IfThenElse(zero, hn::BitCast(s, hn::And(hn::And(product_sign, z), sign)), value);

  const S largest = hn::Max(hn::BitCast(s, hn::Max(ex, ey)), base);
  const M special = hn::Gt(largest, hn::Set(s, 254));
  const M tiny = hn::AndNot(special, hn::AndNot(zero, hn::Lt(exponent, hn::Set(s, 2))));
  slow = tiny;
  if (hn::AllFalse(s, hn::Or(special, tiny))) return hn::BitCast(d, value);
  value = hn::IfThenElse(special, hn::BitCast(s, special_mul_add(x, y, z)), value);
  // Below 2^-126 there is zero, except just below a power of two: see sfpu_normalise.
  const S mantissa = hn::BitCast(s, hn::And(f, hn::Set(d, 0x7FFFFF)));
  const M inside = hn::And(hn::Gt(mantissa, hn::Zero(s)), hn::Lt(mantissa, hn::Set(s, 0x7FFFFF)));
  const M flushed = hn::And(hn::And(tiny, inside), hn::Lt(exponent, hn::Set(s, 1)));
  value = hn::IfThenElse(flushed, hn::BitCast(s, hn::And(f, sign)), value);
  slow = hn::AndNot(flushed, tiny);
  return hn::BitCast(d, value);
}

/// The lanes of `mask` from lane `first` on.
HWY_INLINE M mask_from(u32 mask, std::size_t first) {
  const Signed s;
  const S bit_of_lane = hn::Shl(hn::Set(s, 1), hn::Iota(s, static_cast<i32>(first)));
  return hn::Ne(hn::And(hn::Set(s, static_cast<i32>(mask)), bit_of_lane), hn::Zero(s));
}

/// All lanes of a vector in which not all are ordinary.
[[maybe_unused]] static HWY_NOINLINE V separate_mul_add(V x, V y, V z) {
  const D d;
  const Signed s;
  M slow_lanes;
  const V result = mul_add(x, y, z, slow_lanes);
  if (hn::AllFalse(s, slow_lanes)) return result;
  alignas(64) std::array<u32, kLanes> a, b, c, value;
  alignas(64) std::array<i32, kLanes> slow;
  hn::Store(x, d, a.data());
  hn::Store(y, d, b.data());
  hn::Store(z, d, c.data());
  hn::Store(result, d, value.data());
  hn::Store(hn::VecFromMask(s, slow_lanes), s, slow.data());
  for (std::size_t i = 0; i < hn::Lanes(d); ++i)
    if (slow[i] != 0) value[i] = sfpu_mul_add(a[i], b[i], c[i]);
  return hn::Load(d, value.data());
}

// Rows of Dst are pairs of columns, the even one in the low half. Four rows, one after the other,
// are as many pairs as there are lanes.

/// s m7 e8 to s e8 m7, both in the upper half. The lower half is lost.
HWY_INLINE V upper_from_storage(V v) {
  const D d;
  return hn::Or(hn::And(v, hn::Set(d, 0x80000000)),
                hn::Or(hn::And(hn::ShiftLeft<7>(v), hn::Set(d, 0x7F800000)),
                       hn::And(hn::ShiftRight<8>(v), hn::Set(d, 0x007F0000))));
}
HWY_INLINE V storage_from_upper(V v) {
  const D d;
  return hn::Or(hn::And(v, hn::Set(d, 0x80000000)),
                hn::Or(hn::And(hn::ShiftRight<7>(v), hn::Set(d, 0x00FF0000)),
                       hn::And(hn::ShiftLeft<8>(v), hn::Set(d, 0x7F000000))));
}
/// The columns asked for, in the upper half.
HWY_INLINE V columns(const u16* row, std::size_t i, bool odd) {
  const D d;
  const V pairs = hn::LoadU(d, reinterpret_cast<const u32*>(row) + i);
  return odd ? pairs : hn::ShiftLeft<16>(pairs);
}
/// Of `mask`, the lanes from `i` on are looked at.
HWY_INLINE void put_columns(u16* row, std::size_t i, bool odd, V upper, u32 mask) {
  const D d;
  u32* const pairs = reinterpret_cast<u32*>(row) + i;
  const V old = hn::LoadU(d, pairs);
  const V high = hn::Set(d, 0xFFFF0000);
  V merged = odd ? hn::Or(hn::And(upper, high), hn::AndNot(high, old))
                 : hn::Or(hn::ShiftRight<16>(upper), hn::And(old, high));
  if (mask != kAllLanes)
    merged = hn::IfThenElse(hn::RebindMask(d, mask_from(mask, i)), merged, old);
  hn::StoreU(merged, d, pairs);
}

HWY_INLINE V fp16_from_storage(V v) {
  const D d;
  const V exponent = hn::And(hn::ShiftRight<16>(v), hn::Set(d, 0x1F));
  const V biased = hn::ShiftLeft<23>(hn::Add(exponent, hn::Set(d, 112)));
  return hn::Or(hn::And(v, hn::Set(d, 0x80000000)),
                hn::Or(hn::IfThenZeroElse(hn::Eq(exponent, hn::Zero(d)), biased),
                       hn::And(hn::ShiftRight<8>(v), hn::Set(d, 0x007FE000))));
}
HWY_INLINE V storage_from_fp16(V v) {
  const D d;
  const Signed s;
  const V sign = hn::And(v, hn::Set(d, 0x80000000));
  const auto exponent =
      hn::Sub(hn::BitCast(s, hn::And(hn::ShiftRight<23>(v), hn::Set(d, 0xFF))), hn::Set(s, 112));
  const V normal = hn::Or(hn::ShiftLeft<16>(hn::BitCast(d, exponent)),
                          hn::And(hn::ShiftLeft<8>(v), hn::Set(d, 0x7FE00000)));
  const auto large = hn::Gt(exponent, hn::Set(s, 31));
  const auto small = hn::Lt(exponent, hn::Set(s, 1));
  const V value = hn::IfThenElse(hn::RebindMask(d, large), hn::Set(d, 0x7FFF0000), normal);
  return hn::Or(sign, hn::IfThenZeroElse(hn::RebindMask(d, small), value));
}

template <SfpuDstForm form>
HWY_INLINE void load_rows_as(const SfpuDstRows& rows, u32 mask, Lanes& out) {
  const D d;
  for (std::size_t i = 0; i < kLanes; i += hn::Lanes(d)) {
    V value = columns(rows.high, i, rows.odd);
    if constexpr (form == SfpuDstForm::Fp16) {
      value = fp16_from_storage(value);
    } else {
      value = upper_from_storage(value);
      if constexpr (form != SfpuDstForm::Bf16)
        value = hn::Or(value, hn::ShiftRight<16>(columns(rows.low, i, rows.odd)));
    }
    if (mask != kAllLanes)
      value =
          hn::IfThenElse(hn::RebindMask(d, mask_from(mask, i)), value, hn::Load(d, &out.lane[i]));
    hn::Store(value, d, &out.lane[i]);
  }
}

template <SfpuDstForm form>
HWY_INLINE void store_rows_as(const SfpuDstRows& rows, const Lanes& lanes, u32 mask = kAllLanes) {
  const D d;
  for (std::size_t i = 0; i < kLanes; i += hn::Lanes(d)) {
    V value = hn::Load(d, &lanes.lane[i]);
    if constexpr (form == SfpuDstForm::Bf16 || form == SfpuDstForm::Single) {
      const auto flushed = hn::Eq(hn::And(value, hn::Set(d, 0x7F800000)), hn::Zero(d));
      value = hn::IfThenElse(flushed, hn::And(value, hn::Set(d, 0x80000000)), value);
    }
    if constexpr (form == SfpuDstForm::Fp16) {
      put_columns(rows.high, i, rows.odd, storage_from_fp16(value), mask);
    } else {
      put_columns(rows.high, i, rows.odd, storage_from_upper(value), mask);
      if constexpr (form != SfpuDstForm::Bf16)
        put_columns(rows.low, i, rows.odd, hn::ShiftLeft<16>(value), mask);
    }
  }
}

HWY_INLINE S order_key(V v) {
  const Signed s;
  const S negative = hn::BroadcastSignBit(hn::BitCast(s, v));
  return hn::Xor(hn::BitCast(s, v), hn::And(negative, hn::Set(s, 0x7FFFFFFF)));
}

/// The lanes in which `holds(i)`, of a vector that begins at lane i, is true.
template <class Holds>
HWY_INLINE u32 lanes_where(Holds holds) {
  const Signed s;
  u32 mask = 0;
  for (std::size_t i = 0; i < kLanes; i += hn::Lanes(s)) {
    alignas(8) std::array<u8, 8> bytes;
    hn::StoreMaskBits(s, holds(i), bytes.data());
    u32 part = bytes[0];
    // As wide as what was stored, so that the bits need not go through memory.
    if (hn::Lanes(s) == 16) {
      u16 both;
      std::memcpy(&both, bytes.data(), sizeof both);
      part = both;
    } else if (hn::Lanes(s) == 32) {
      std::memcpy(&part, bytes.data(), sizeof part);
    }
#if defined(__GNUC__)
    // As 32 bits in a register: g++ 12 otherwise keeps 16 of them in memory and reads 32 back, seen
    // with AVX-512, -O2 and the thread sanitizer.
    __asm__("" : "+r"(part));
#endif
    mask |= part << i;
  }
  return mask;
}

/// The lanes whose bit 31 is set, and those that are not 0.
HWY_INLINE u32 negative_lanes_of(const Lanes& a) {
  const D d;
  const Signed s;
  return lanes_where(
      [&](std::size_t i) { return hn::Lt(hn::BitCast(s, hn::Load(d, &a.lane[i])), hn::Zero(s)); });
}
HWY_INLINE u32 nonzero_lanes_of(const Lanes& a) {
  const D d;
  const Signed s;
  return lanes_where(
      [&](std::size_t i) { return hn::Ne(hn::BitCast(s, hn::Load(d, &a.lane[i])), hn::Zero(s)); });
}

}  // namespace bhemu::numeric::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif  // BHEMU_NUMERIC_SFPU_KERNELS_INL
