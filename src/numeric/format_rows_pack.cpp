// Packer: whole rows of Dst to datums in L1. Each formula is that of format_pack.hpp.
#include "numeric/format_rows.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numeric/format_rows_pack.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace bhemu::numeric {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Words = hn::CappedTag<u32, kRow>;
using Signed = hn::RebindToSigned<Words>;
using Halves = hn::Rebind<u16, Words>;
using Bytes = hn::Rebind<u8, Words>;
using V = hn::Vec<Words>;

enum class Early {
  Bf16From16,
  E8m6From16,
  Fp16From16,
  Fp16FromBf16,
  Stored16,
  Bf16From32,
  E8m6From32,
  WideFrom32,
  Word32,
  Int8From32,
  Uint8From32
};
enum class Late { Keep32, Keep16, Keep8, Widen, Group8, Group4, Group2, Fp16, Fp8E4m3, Fp8E5m2 };

/// Where a code has its sign; 0: nowhere.
constexpr u32 sign_of(Early early) {
  switch (early) {
    case Early::Word32:
      return 0x80000000u;
    case Early::WideFrom32:
      return 0x40000u;
    case Early::Int8From32:
      return 0x80u;
    case Early::Uint8From32:
      return 0;
    default:
      return 0x8000u;
  }
}

/// The stored order s m e of 16 bits to s e m, `kBits` of exponent.
template <u32 kBits>
HWY_INLINE V ordered16(V stored) {
  const Words d;
  constexpr u32 kExponent = (1u << kBits) - 1;
  constexpr u32 kMantissa = 0x7FFFu >> kBits;
  return hn::Or(hn::And(stored, hn::Set(d, 0x8000)),
                hn::Or(hn::ShiftLeft<15 - kBits>(hn::And(stored, hn::Set(d, kExponent))),
                       hn::And(hn::ShiftRight<kBits>(stored), hn::Set(d, kMantissa))));
}

/// A magnitude of FP32 with NaN as infinity, `kDropped` bits rounded half away from zero; below
/// the smallest normal +0, sign included. The result has the bits that are left.
template <u32 kDropped>
HWY_INLINE V rounded32(V fp32) {
  const Words d;
  const V magnitude = hn::Min(hn::And(fp32, hn::Set(d, 0x7FFFFFFF)), hn::Set(d, 0x7F800000));
  const V q = hn::ShiftRight<kDropped>(hn::Add(magnitude, hn::Set(d, 1u << (kDropped - 1))));
  const V sign = hn::ShiftLeft<31 - kDropped>(hn::ShiftRight<31>(fp32));
  return hn::IfThenZeroElse(hn::Lt(q, hn::Set(d, 0x800000u >> kDropped)), hn::Or(sign, q));
}

HWY_INLINE V bf16_flushed(V bf16) {
  const Words d;
  const V magnitude = hn::Min(hn::And(bf16, hn::Set(d, 0x7FFF)), hn::Set(d, 0x7F80));
  const V code = hn::Or(hn::And(bf16, hn::Set(d, 0x8000)), magnitude);
  return hn::IfThenZeroElse(hn::Lt(magnitude, hn::Set(d, 0x80)), code);
}

HWY_INLINE V e8m6_of(V bf16) {
  const Words d;
  const V v = bf16_flushed(bf16);
  const V magnitude =
      hn::And(hn::Add(hn::And(v, hn::Set(d, 0x7FFF)), hn::Set(d, 1)), hn::Set(d, 0xFFFE));
  const V code = hn::Or(hn::And(v, hn::Set(d, 0x8000)), magnitude);
  return hn::IfThenZeroElse(hn::Eq(magnitude, hn::Zero(d)), code);
}

/// FP32 in its place to FP16 in the low half: saturates, truncates.
HWY_INLINE V fp16_of_fp32(V v) {
  const Words d;
  const V magnitude = hn::And(v, hn::Set(d, 0x7FFFFFFF));
  const V sign = hn::ShiftLeft<15>(hn::ShiftRight<31>(v));
  const V moved = hn::ShiftRight<13>(hn::Sub(magnitude, hn::Set(d, 112u << 23)));
  const V value =
      hn::IfThenElse(hn::Lt(magnitude, hn::Set(d, 144u << 23)), moved, hn::Set(d, 0x7FFF));
  return hn::Or(sign, hn::IfThenZeroElse(hn::Lt(magnitude, hn::Set(d, 112u << 23)), value));
}

HWY_INLINE V integer_of(V v, u32 shift, u32 greatest) {
  const Words d;
  const V magnitude = hn::And(v, hn::Set(d, 0x7FFFFFFF));
  const V half = hn::Set(d, shift == 0 ? 0u : 1u << (shift - 1));
  return hn::Min(hn::ShiftRightSame(hn::Add(magnitude, half), static_cast<int>(shift)),
                 hn::Set(d, greatest));
}

HWY_INLINE const u16* high_of(const PackJob& job, u32 row) {
  return job.straight ? job.high[0] + row * kRow : job.high[row];
}

template <Early kEarly>
HWY_INLINE V early_code(const PackJob& job, u32 row, u32 i) {
  const Words d;
  const V high = hn::PromoteTo(d, hn::LoadU(Halves(), high_of(job, row) + i));
  if constexpr (kEarly == Early::Stored16) return high;
  if constexpr (kEarly == Early::Fp16From16) {
    const V v = ordered16<5>(high);
    return hn::IfThenZeroElse(hn::Lt(hn::And(v, hn::Set(d, 0x7FFF)), hn::Set(d, 0x400)), v);
  }
  const V bf16 = ordered16<8>(high);
  if constexpr (kEarly == Early::Bf16From16) return bf16_flushed(bf16);
  if constexpr (kEarly == Early::E8m6From16) return e8m6_of(bf16);
  if constexpr (kEarly == Early::Fp16FromBf16) return fp16_of_fp32(hn::ShiftLeft<16>(bf16));
  const V low = hn::PromoteTo(d, hn::LoadU(Halves(), job.low[row] + i));
  const V word = hn::Or(hn::ShiftLeft<16>(bf16), low);
  if constexpr (kEarly == Early::Bf16From32) return rounded32<16>(word);
  if constexpr (kEarly == Early::E8m6From32) return hn::ShiftLeft<1>(rounded32<17>(word));
  if constexpr (kEarly == Early::WideFrom32) return rounded32<13>(word);
  if constexpr (kEarly == Early::Int8From32)
    return hn::Or(hn::ShiftLeft<7>(hn::ShiftRight<31>(word)), integer_of(word, job.shift, 127));
  if constexpr (kEarly == Early::Uint8From32)
    return hn::IfThenElseZero(hn::Lt(word, hn::Set(d, 0x80000000u)),
                              integer_of(word, job.shift, 255));
  return word;
}

/// A block of 16 values s e8 m7 as assemble_group does it. A shift of 8 or more leaves nothing of
/// a magnitude by itself.
template <u32 kBits>
HWY_INLINE void store_group(const u32* code, u8* datum, u8* exponent) {
  const Words d;
  V greatest = hn::Zero(d);
  for (u32 i = 0; i < kRow; i += static_cast<u32>(hn::Lanes(d))) {
    const V g = hn::LoadU(d, code + i);
    greatest = hn::Max(greatest, hn::And(hn::ShiftRight<7>(g), hn::Set(d, 0xFF)));
  }
  const V shared = hn::MaxOfLanes(d, greatest);
  *exponent = static_cast<u8>(hn::GetLane(shared));
  HWY_ALIGN u8 wide[kRow];
  u8* const target = kBits == 8 ? datum : wide;
  for (u32 i = 0; i < kRow; i += static_cast<u32>(hn::Lanes(d))) {
    const V g = hn::LoadU(d, code + i);
    const V own = hn::And(hn::ShiftRight<7>(g), hn::Set(d, 0xFF));
    const V hidden = hn::IfThenZeroElse(hn::Eq(own, hn::Zero(d)), hn::Set(d, 128));
    const V mantissa = hn::Add(hn::And(g, hn::Set(d, 0x7F)), hidden);
    const V shift = hn::Min(hn::Sub(shared, own), hn::Set(d, 8));
    const V half = hn::Shl(hn::Set(d, 1), shift);
    const V rounded = hn::Shr(hn::Add(mantissa, half), hn::Add(shift, hn::Set(d, 1)));
    const V magnitude = hn::ShiftRight<8 - kBits>(hn::Min(rounded, hn::Set(d, 127)));
    const V sign = hn::ShiftLeft<kBits - 1>(hn::And(hn::ShiftRight<15>(g), hn::Set(d, 1)));
    const V value = hn::IfThenZeroElse(hn::Eq(magnitude, hn::Zero(d)), hn::Or(sign, magnitude));
    hn::StoreU(hn::DemoteTo(Bytes(), hn::BitCast(Signed(), value)), Bytes(), target + i);
  }
  if constexpr (kBits < 8) {
    constexpr u32 kPerByte = 8 / kBits;
    for (u32 i = 0; i < kRow / kPerByte; ++i) {
      u32 byte = 0;
      for (u32 j = 0; j < kPerByte; ++j) byte |= u32{wide[i * kPerByte + j]} << (kBits * j);
      datum[i] = static_cast<u8>(byte);
    }
  }
}

constexpr u32 bits_of_late(Late late) {
  switch (late) {
    case Late::Keep32:
    case Late::Widen:
      return 32;
    case Late::Keep16:
    case Late::Fp16:
      return 16;
    case Late::Group4:
      return 4;
    case Late::Group2:
      return 2;
    default:
      return 8;
  }
}

/// FP16 to FP8 with 4 bits of exponent: saturates, truncates.
HWY_INLINE V fp8_e4m3_of(V v) {
  const Words d;
  const V magnitude = hn::And(v, hn::Set(d, 0x7FFF));
  const V sign = hn::And(hn::ShiftRight<8>(v), hn::Set(d, 0x80));
  const V moved = hn::ShiftRight<7>(hn::Sub(magnitude, hn::Set(d, 8u << 10)));
  const V value = hn::IfThenElse(hn::Lt(magnitude, hn::Set(d, 24u << 10)), moved, hn::Set(d, 0x7F));
  return hn::Or(sign, hn::IfThenZeroElse(hn::Lt(magnitude, hn::Set(d, 9u << 10)), value));
}

template <Early kEarly, Late kLate>
HWY_INLINE void store(V code, u8* datum) {
  const Words d;
  if constexpr (kLate == Late::Keep32) {
    hn::StoreU(code, d, reinterpret_cast<u32*>(datum));
  } else if constexpr (kLate == Late::Widen) {
    hn::StoreU(hn::ShiftLeft<16>(code), d, reinterpret_cast<u32*>(datum));
  } else {
    if constexpr (kEarly == Early::WideFrom32) code = hn::ShiftLeft<13>(code);
    if constexpr (kLate == Late::Fp16 || kEarly == Early::WideFrom32) code = fp16_of_fp32(code);
    if constexpr (kLate == Late::Fp8E4m3) code = fp8_e4m3_of(code);
    if constexpr (kLate == Late::Fp8E5m2) code = hn::ShiftRight<8>(code);
    const auto value = hn::BitCast(Signed(), code);
    if constexpr (bits_of_late(kLate) == 16)
      hn::StoreU(hn::DemoteTo(Halves(), value), Halves(), reinterpret_cast<u16*>(datum));
    else
      hn::StoreU(hn::DemoteTo(Bytes(), value), Bytes(), datum);
  }
}

template <Early kEarly, Late kLate>
u32 pack(const PackJob& job) {
  const Words d;
  constexpr bool kGroup = kLate == Late::Group8 || kLate == Late::Group4 || kLate == Late::Group2;
  constexpr u32 kBits = bits_of_late(kLate);
  const V sign = hn::Set(d, sign_of(kEarly));
  const V statistics = hn::Set(d, job.exponent_mask);
  V greatest = hn::Zero(d);
  for (u32 row = 0; row < job.rows; ++row) {
    HWY_ALIGN u32 group[kRow];
    for (u32 i = 0; i < kRow; i += static_cast<u32>(hn::Lanes(d))) {
      V code = early_code<kEarly>(job, row, i);
      if (job.relu) code = hn::IfThenElseZero(hn::Eq(hn::And(code, sign), hn::Zero(d)), code);
      greatest = hn::Max(greatest, hn::And(code, statistics));
      if constexpr (!kGroup) {
        store<kEarly, kLate>(code, job.datum + (row * kRow + i) * kBits / 8);
      } else {
        if constexpr (kEarly == Early::Word32) {
          const V magnitude = hn::AndNot(sign, code);
          code =
              hn::IfThenZeroElse(hn::Lt(magnitude, hn::Set(d, 0x800000)), hn::ShiftRight<16>(code));
        }
        hn::StoreU(code, d, group + i);
      }
    }
    if constexpr (kGroup)
      store_group<kBits>(group, job.datum + row * kRow * kBits / 8, job.exponent + row);
  }
  return hn::GetLane(hn::MaxOfLanes(d, greatest));
}

/// `count` datums as pack<Early::Bf16From16, Late::Keep16> does them, with no more than 16 bits
/// anywhere. Takes the greatest magnitude into account.
template <bool relu, class D>
HWY_INLINE hn::Vec<D> bf16_codes(D d, const u16* stored_datum, u32 count, u16* datum,
                                 hn::Vec<D> greatest) {
  using H = hn::Vec<D>;
  const H sign = hn::Set(d, 0x8000);
  const H infinity = hn::Set(d, 0x7F80);
  for (u32 i = 0; i < count; i += static_cast<u32>(hn::Lanes(d))) {
    const H stored = hn::LoadU(d, stored_datum + i);
    const H e = hn::And(stored, hn::Set(d, 0xFF));
    const H fraction = hn::And(hn::ShiftRight<8>(stored), hn::Set(d, 0x7F));
    const H magnitude = hn::Min(hn::Or(hn::ShiftLeft<7>(e), fraction), infinity);
    H code = hn::Or(hn::And(stored, sign), magnitude);
    code = hn::IfThenZeroElse(hn::Eq(e, hn::Zero(d)), code);
    if constexpr (relu) code = hn::IfThenElseZero(hn::Eq(hn::And(code, sign), hn::Zero(d)), code);
    greatest = hn::Max(greatest, hn::AndNot(sign, code));
    hn::StoreU(code, d, datum + i);
  }
  return greatest;
}
template <class D>
HWY_INLINE hn::Vec<D> bf16_codes(D d, const u16* stored, u32 count, bool relu, u16* datum,
                                 hn::Vec<D> greatest) {
  return relu ? bf16_codes<true>(d, stored, count, datum, greatest)
              : bf16_codes<false>(d, stored, count, datum, greatest);
}

template <class D>
HWY_INLINE u32 greatest_of([[maybe_unused]] D d, hn::Vec<D> greatest) {
#if HWY_TARGET == HWY_SCALAR
  return hn::GetLane(greatest);
#else
  const hn::RepartitionToWide<D> w;
  const auto pairs = hn::BitCast(w, greatest);
  const auto both = hn::Max(hn::And(pairs, hn::Set(w, 0xFFFF)), hn::ShiftRight<16>(pairs));
  return hn::GetLane(hn::MaxOfLanes(w, both));
#endif
}

u32 pack_bf16(const PackJob& job) {
  u16* datum = reinterpret_cast<u16*>(job.datum);
  if (job.straight && job.rows % 4 == 0) {
    const hn::CappedTag<u16, 4 * kRow> d;
    const auto greatest = bf16_codes(d, job.high[0], job.rows * kRow, job.relu, datum, hn::Zero(d));
    return greatest_of(d, greatest) & job.exponent_mask;
  }
  const hn::CappedTag<u16, kRow> d;
  auto greatest = hn::Zero(d);
  for (u32 row = 0; row < job.rows; ++row)
    greatest = bf16_codes(d, high_of(job, row), kRow, job.relu, datum + row * kRow, greatest);
  return greatest_of(d, greatest) & job.exponent_mask;
}

/// The codes s e8 m7, from either view.
template <Early kEarly>
PackRows choose_bf16(Format out) {
  switch (out) {
    case Format::Bf16:
      if constexpr (kEarly == Early::Bf16From16) return pack_bf16;
      return pack<kEarly, Late::Keep16>;
    case Format::Fp32:
      return pack<kEarly, Late::Widen>;
    case Format::Bfp8:
      return pack<kEarly, Late::Group8>;
    case Format::Bfp4:
      return pack<kEarly, Late::Group4>;
    case Format::Bfp2:
      return pack<kEarly, Late::Group2>;
    default:
      return nullptr;
  }
}

/// FP16 codes, and those with 19 bits on their way there.
template <Early kEarly>
PackRows choose_fp16(Format out, bool fp8_e4m3) {
  if (out == Format::Fp16) return pack<kEarly, Late::Keep16>;
  if (out != Format::Fp8) return nullptr;
  return fp8_e4m3 ? pack<kEarly, Late::Fp8E4m3> : pack<kEarly, Late::Fp8E5m2>;
}

PackRows choose_fp32(Format out) {
  switch (out) {
    case Format::Fp32:
      return pack<Early::Word32, Late::Keep32>;
    case Format::Fp16:
      return pack<Early::Word32, Late::Fp16>;
    case Format::Bfp8:
      return pack<Early::Word32, Late::Group8>;
    case Format::Bfp4:
      return pack<Early::Word32, Late::Group4>;
    case Format::Bfp2:
      return pack<Early::Word32, Late::Group2>;
    default:
      return nullptr;
  }
}

PackRows choose_pack(const EarlyMode& mode, PackCode code, bool fp8_e4m3) {
  const Format out = mode.out;
  const bool wide = mode.read_32b;
  // What is not rounded is read raw, and has no kernel unless it is a copy.
  const bool raw = mode.read_raw;
  switch (code) {
    case PackCode::Fp32:
      return wide ? choose_fp32(out) : nullptr;
    case PackCode::Int32:
      return wide && out == Format::Int32 ? pack<Early::Word32, Late::Keep32> : nullptr;
    case PackCode::Bf16:
      if (raw) return nullptr;
      return wide ? choose_bf16<Early::Bf16From32>(out) : choose_bf16<Early::Bf16From16>(out);
    case PackCode::E8m6:
      return wide ? choose_bf16<Early::E8m6From32>(out) : choose_bf16<Early::E8m6From16>(out);
    case PackCode::Fp16Wide:
      return choose_fp16<Early::WideFrom32>(out, fp8_e4m3);
    case PackCode::Fp16:
      if (raw) return nullptr;
      return mode.round_10b_mant ? choose_fp16<Early::Fp16FromBf16>(out, fp8_e4m3)
                                 : choose_fp16<Early::Fp16From16>(out, fp8_e4m3);
    case PackCode::Int16:
      return out == Format::Int16 ? pack<Early::Stored16, Late::Keep16> : nullptr;
    case PackCode::Int8:
      return wide && !raw && out == Format::Int8 ? pack<Early::Int8From32, Late::Keep8> : nullptr;
    case PackCode::Uint8:
      return wide && !raw && out == Format::Int8 ? pack<Early::Uint8From32, Late::Keep8> : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace bhemu::numeric
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bhemu::numeric {

HWY_EXPORT(choose_pack);

PackRows pack_rows(const EarlyMode& mode, bool fp8_e4m3) {
  return HWY_DYNAMIC_DISPATCH(choose_pack)(mode, early_conversion(mode).code, fp8_e4m3);
}

}  // namespace bhemu::numeric
#endif  // HWY_ONCE
