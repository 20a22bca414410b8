#include "numeric/sfpu_kernels.hpp"

#include "numeric/sfpu_float.hpp"

// Highway compiles this file once for each kind of host and chooses at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numeric/sfpu_kernels.cpp"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4)
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace bhemu::numeric::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR
// The portable twin: GCC 12 cannot be trusted with Highway's own emulation of vectors.
void mul_add_lanes(const Lanes& x, const Lanes& y, const Lanes& z, u32 flip_x, u32 flip_z,
                   Lanes& out) {
  for (u32 i = 0; i < kLanes; ++i) out[i] = sfpu_mul_add(x[i] ^ flip_x, y[i], z[i] ^ flip_z);
}
u32 smaller_lanes(const Lanes& a, const Lanes& b) {
  u32 mask = 0;
  for (u32 i = 0; i < kLanes; ++i) mask |= static_cast<u32>(sfpu_is_smaller(a[i], b[i])) << i;
  return mask;
}
#else

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<u32, kLanes>;
using V = hn::Vec<D>;
using Signed = hn::RebindToSigned<D>;
using S = hn::Vec<Signed>;
using M = hn::Mask<Signed>;

struct MulAdd {
  V value;
  M slow;  // lanes that the scalar function must do
};

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

/// As sfpu_mul_add. The sum of the aligned operands has less than 30 bits, so that the host's exact
/// conversion of an integer to FP32 normalises and rounds it.
HWY_INLINE MulAdd mul_add(V x, V y, V z) {
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

  // NaN, infinities, a product that overflows by itself, and results around 2^-126.
  const S largest = hn::Max(hn::BitCast(s, hn::Max(ex, ey)), base);
  const M special = hn::Gt(largest, hn::Set(s, 254));
  const M tiny = hn::AndNot(zero, hn::Lt(exponent, hn::Set(s, 2)));
  return {hn::BitCast(d, value), hn::Or(special, tiny)};
}

void mul_add_lanes(const Lanes& x, const Lanes& y, const Lanes& z, u32 flip_x, u32 flip_z,
                   Lanes& out) {
  const D d;
  const Signed s;
  for (std::size_t i = 0; i < kLanes; i += hn::Lanes(d)) {
    const V a = hn::Xor(hn::Load(d, &x.lane[i]), hn::Set(d, flip_x));
    const V b = hn::Load(d, &y.lane[i]);
    const V c = hn::Xor(hn::Load(d, &z.lane[i]), hn::Set(d, flip_z));
    const MulAdd result = mul_add(a, b, c);
    hn::Store(result.value, d, &out.lane[i]);
    if (hn::AllFalse(s, result.slow)) continue;
    alignas(64) std::array<i32, kLanes> slow;
    hn::Store(hn::VecFromMask(s, result.slow), s, slow.data());
    for (std::size_t j = 0; j < hn::Lanes(d); ++j) {
      if (slow[j] != 0)
        out.lane[i + j] = sfpu_mul_add(x[i + j] ^ flip_x, y[i + j], z[i + j] ^ flip_z);
    }
  }
}

HWY_INLINE S order_key(V v) {
  const Signed s;
  const S negative = hn::BroadcastSignBit(hn::BitCast(s, v));
  return hn::Xor(hn::BitCast(s, v), hn::And(negative, hn::Set(s, 0x7FFFFFFF)));
}

u32 smaller_lanes(const Lanes& a, const Lanes& b) {
  const D d;
  const Signed s;
  u32 mask = 0;
  for (std::size_t i = 0; i < kLanes; i += hn::Lanes(d)) {
    const M smaller =
        hn::Lt(order_key(hn::Load(d, &a.lane[i])), order_key(hn::Load(d, &b.lane[i])));
    alignas(8) std::array<u8, 8> bytes{};
    hn::StoreMaskBits(s, smaller, bytes.data());
    u32 part = 0;
    for (std::size_t j = 0; j < 4; ++j) part |= u32{bytes[j]} << (8 * j);
    mask |= part << i;
  }
  return mask;
}
#endif

}  // namespace bhemu::numeric::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bhemu::numeric {

HWY_EXPORT(mul_add_lanes);

Lanes sfpu_mul_add_lanes(const Lanes& x, const Lanes& y, const Lanes& z, u32 flip_x, u32 flip_z) {
  Lanes out;
  HWY_DYNAMIC_DISPATCH(mul_add_lanes)(x, y, z, flip_x, flip_z, out);
  return out;
}

HWY_EXPORT(smaller_lanes);

u32 sfpu_smaller_lanes(const Lanes& a, const Lanes& b) {
  return HWY_DYNAMIC_DISPATCH(smaller_lanes)(a, b);
}

}  // namespace bhemu::numeric
#endif
