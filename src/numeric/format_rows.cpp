#include "numeric/format_rows.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numeric/format_rows.cpp"
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

// --- Unpackers.

enum class Unpacking { Bf16, Fp32ToTf32, Fp32ToBf16, Fp16, Bfp8 };

template <Unpacking kWhat>
HWY_INLINE V unpacked(const u8* datum, V exponent) {
  const Words d;
  if constexpr (kWhat == Unpacking::Bf16) {
    const auto half = hn::LoadU(Halves(), reinterpret_cast<const u16*>(datum));
    return hn::ShiftLeft<16>(hn::PromoteTo(d, half));
  } else if constexpr (kWhat == Unpacking::Fp16) {
    const auto half = hn::LoadU(Halves(), reinterpret_cast<const u16*>(datum));
    const V v = hn::PromoteTo(d, half);
    return hn::Or(hn::ShiftLeft<16>(hn::And(v, hn::Set(d, 0x8000))),
                  hn::ShiftLeft<13>(hn::And(v, hn::Set(d, 0x7FFF))));
  } else if constexpr (kWhat == Unpacking::Bfp8) {
    const V v = hn::PromoteTo(d, hn::LoadU(Bytes(), datum));
    const V sign = hn::ShiftLeft<24>(hn::And(v, hn::Set(d, 0x80)));
    const V magnitude = hn::And(v, hn::Set(d, 0x7F));
    // As a float the magnitude is normalised: 133 is the exponent of its top bit.
    const hn::RebindToFloat<Words> df;
    const V number = hn::BitCast(d, hn::ConvertTo(df, hn::BitCast(Signed(), magnitude)));
    const V shared = hn::Add(hn::ShiftRight<23>(number), hn::Sub(exponent, hn::Set(d, 133)));
    const V normal = hn::Or(hn::Or(sign, hn::ShiftLeft<23>(hn::And(shared, hn::Set(d, 0xFF)))),
                            hn::And(number, hn::Set(d, 0x3Fu << 17)));
    // Sign without magnitude is -infinity.
    const V infinite = hn::IfThenZeroElse(hn::Eq(sign, hn::Zero(d)), hn::Set(d, 0xFF800000u));
    return hn::IfThenElse(hn::Eq(magnitude, hn::Zero(d)), infinite, normal);
  } else {
    const V v = hn::LoadU(d, reinterpret_cast<const u32*>(datum));
    if constexpr (kWhat == Unpacking::Fp32ToTf32) return hn::And(v, hn::Set(d, 0xFFFFE000u));
    const auto denormal = hn::Eq(hn::And(v, hn::Set(d, 0x7F800000u)), hn::Zero(d));
    return hn::And(v, hn::IfThenElse(denormal, hn::Set(d, 0x80000000u), hn::Set(d, 0xFFFF0000u)));
  }
}

template <Unpacking kWhat, u32 kBytes>
HWY_INLINE void unpack(const u8* datum, const u8* exponent, u32 rows, u32* cell) {
  const Words d;
  for (u32 row = 0; row < rows; ++row) {
    V shared = hn::Zero(d);
    if constexpr (kWhat == Unpacking::Bfp8) shared = hn::Set(d, exponent[row]);
    for (u32 i = 0; i < kRow; i += static_cast<u32>(hn::Lanes(d)))
      hn::StoreU(unpacked<kWhat>(datum + i * kBytes, shared), d, cell + i);
    datum += kRow * kBytes;
    cell += kRow;
  }
}

void unpack_bf16_rows(const u8* datum, const u8* exponent, u32 rows, u32* cell) {
  unpack<Unpacking::Bf16, 2>(datum, exponent, rows, cell);
}
void unpack_fp16_rows(const u8* datum, const u8* exponent, u32 rows, u32* cell) {
  unpack<Unpacking::Fp16, 2>(datum, exponent, rows, cell);
}
void unpack_fp32_to_tf32_rows(const u8* datum, const u8* exponent, u32 rows, u32* cell) {
  unpack<Unpacking::Fp32ToTf32, 4>(datum, exponent, rows, cell);
}
void unpack_fp32_to_bf16_rows(const u8* datum, const u8* exponent, u32 rows, u32* cell) {
  unpack<Unpacking::Fp32ToBf16, 4>(datum, exponent, rows, cell);
}
void unpack_bfp8_rows(const u8* datum, const u8* exponent, u32 rows, u32* cell) {
  unpack<Unpacking::Bfp8, 1>(datum, exponent, rows, cell);
}

// --- Packer.

enum class Early { Bf16From16, Bf16From32, Fp32From32 };
enum class Late { Keep16, Keep32, Widen, Group };

template <Early kEarly>
HWY_INLINE V early_code(const PackJob& job, u32 row, u32 i) {
  const Words d;
  const V high = hn::PromoteTo(d, hn::LoadU(Halves(), job.high[row] + i));
  // The stored order s m7 e8 back to s e8 m7.
  const V bf16 = hn::Or(hn::And(high, hn::Set(d, 0x8000)),
                        hn::Or(hn::ShiftLeft<7>(hn::And(high, hn::Set(d, 0xFF))),
                               hn::And(hn::ShiftRight<8>(high), hn::Set(d, 0x7F))));
  if constexpr (kEarly == Early::Bf16From16) {
    const V magnitude = hn::Min(hn::And(bf16, hn::Set(d, 0x7FFF)), hn::Set(d, 0x7F80));
    const V signed_code = hn::Or(hn::And(bf16, hn::Set(d, 0x8000)), magnitude);
    return hn::IfThenZeroElse(hn::Lt(magnitude, hn::Set(d, 0x80)), signed_code);
  }
  const V low = hn::PromoteTo(d, hn::LoadU(Halves(), job.low[row] + i));
  const V fp32 = hn::Or(hn::ShiftLeft<16>(bf16), low);
  if constexpr (kEarly == Early::Fp32From32) return fp32;
  // Half away from zero, NaN as infinity, below the smallest normal to +0.
  const V magnitude = hn::Min(hn::And(fp32, hn::Set(d, 0x7FFFFFFF)), hn::Set(d, 0x7F800000));
  const V q = hn::ShiftRight<16>(hn::Add(magnitude, hn::Set(d, 0x8000)));
  const V sign = hn::And(bf16, hn::Set(d, 0x8000));
  return hn::IfThenZeroElse(hn::Lt(q, hn::Set(d, 0x80)), hn::Or(sign, q));
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
    hn::StoreU(hn::DemoteTo(Bytes(), hn::BitCast(Signed(), value)), Bytes(), datum + i);
  }
}

template <Early kEarly, Late kLate>
HWY_INLINE u32 pack(const PackJob& job) {
  const Words d;
  constexpr bool kWide = kEarly == Early::Fp32From32;
  const V sign = hn::Set(d, kWide ? 0x80000000u : 0x8000u);
  V greatest = hn::Zero(d);
  for (u32 row = 0; row < job.rows; ++row) {
    HWY_ALIGN u32 group[kRow];
    for (u32 i = 0; i < kRow; i += static_cast<u32>(hn::Lanes(d))) {
      V code = early_code<kEarly>(job, row, i);
      if (job.relu) code = hn::IfThenElseZero(hn::Eq(hn::And(code, sign), hn::Zero(d)), code);
      greatest = hn::Max(greatest, hn::AndNot(sign, code));
      u8* const datum = job.datum + (row * kRow + i) * (kLate == Late::Keep16 ? 2 : 4);
      if constexpr (kLate == Late::Keep16) {
        hn::StoreU(hn::DemoteTo(Halves(), hn::BitCast(Signed(), code)), Halves(),
                   reinterpret_cast<u16*>(datum));
      } else if constexpr (kLate == Late::Keep32) {
        hn::StoreU(code, d, reinterpret_cast<u32*>(datum));
      } else if constexpr (kLate == Late::Widen) {
        hn::StoreU(hn::ShiftLeft<16>(code), d, reinterpret_cast<u32*>(datum));
      } else {
        if constexpr (kWide) {
          const V magnitude = hn::AndNot(sign, code);
          code =
              hn::IfThenZeroElse(hn::Lt(magnitude, hn::Set(d, 0x800000)), hn::ShiftRight<16>(code));
        }
        hn::StoreU(code, d, group + i);
      }
    }
    if constexpr (kLate == Late::Group)
      store_group<8>(group, job.datum + row * kRow, job.exponent + row);
  }
  return hn::GetLane(hn::MaxOfLanes(d, greatest)) >> (kWide ? 23 : 7);
}

/// As pack<Early::Bf16From16, Late::Keep16>, which needs no more than 16 bits anywhere.
u32 pack_16_bf16_rows(const PackJob& job) {
  const hn::CappedTag<u16, kRow> d;
  using H = hn::Vec<decltype(d)>;
  const H sign = hn::Set(d, 0x8000);
  const H smallest = hn::Set(d, 0x80);
  const H infinity = hn::Set(d, 0x7F80);
  H greatest = hn::Zero(d);
  for (u32 row = 0; row < job.rows; ++row) {
    for (u32 i = 0; i < kRow; i += static_cast<u32>(hn::Lanes(d))) {
      const H stored = hn::LoadU(d, job.high[row] + i);
      const H unbounded = hn::Or(hn::ShiftLeft<7>(hn::And(stored, hn::Set(d, 0xFF))),
                                 hn::And(hn::ShiftRight<8>(stored), hn::Set(d, 0x7F)));
      const H magnitude = hn::Min(unbounded, infinity);
      H code = hn::Or(hn::And(stored, sign), magnitude);
      code = hn::IfThenZeroElse(hn::Lt(magnitude, smallest), code);
      if (job.relu) code = hn::IfThenElseZero(hn::Eq(hn::And(code, sign), hn::Zero(d)), code);
      greatest = hn::Max(greatest, hn::AndNot(sign, code));
      hn::StoreU(code, d, reinterpret_cast<u16*>(job.datum) + row * kRow + i);
    }
  }
#if HWY_TARGET == HWY_SCALAR
  return u32{hn::GetLane(greatest)} >> 7;
#else
  const hn::RepartitionToWide<decltype(d)> w;
  const auto pairs = hn::BitCast(w, greatest);
  const auto both = hn::Max(hn::And(pairs, hn::Set(w, 0xFFFF)), hn::ShiftRight<16>(pairs));
  return hn::GetLane(hn::MaxOfLanes(w, both)) >> 7;
#endif
}
u32 pack_16_fp32_rows(const PackJob& job) {
  return pack<Early::Bf16From16, Late::Widen>(job);
}
u32 pack_16_bfp8_rows(const PackJob& job) {
  return pack<Early::Bf16From16, Late::Group>(job);
}
u32 pack_32_fp32_rows(const PackJob& job) {
  return pack<Early::Fp32From32, Late::Keep32>(job);
}
u32 pack_32_bf16_rows(const PackJob& job) {
  return pack<Early::Bf16From32, Late::Keep16>(job);
}
u32 pack_32_fp32_to_bfp8_rows(const PackJob& job) {
  return pack<Early::Fp32From32, Late::Group>(job);
}
u32 pack_32_bf16_to_bfp8_rows(const PackJob& job) {
  return pack<Early::Bf16From32, Late::Group>(job);
}

}  // namespace HWY_NAMESPACE
}  // namespace bhemu::numeric
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bhemu::numeric {

HWY_EXPORT(unpack_bf16_rows);
HWY_EXPORT(unpack_fp16_rows);
HWY_EXPORT(unpack_fp32_to_tf32_rows);
HWY_EXPORT(unpack_fp32_to_bf16_rows);
HWY_EXPORT(unpack_bfp8_rows);
HWY_EXPORT(pack_16_bf16_rows);
HWY_EXPORT(pack_16_fp32_rows);
HWY_EXPORT(pack_16_bfp8_rows);
HWY_EXPORT(pack_32_fp32_rows);
HWY_EXPORT(pack_32_bf16_rows);
HWY_EXPORT(pack_32_fp32_to_bfp8_rows);
HWY_EXPORT(pack_32_bf16_to_bfp8_rows);

UnpackRows unpack_rows(Format in, Format out) {
  if (in == Format::Fp32 && out == Format::Tf32)
    return [](const u8* datum, const u8* exponent, u32 rows, u32* cell) {
      HWY_DYNAMIC_DISPATCH(unpack_fp32_to_tf32_rows)(datum, exponent, rows, cell);
    };
  if (in == Format::Fp32 && out == Format::Bf16)
    return [](const u8* datum, const u8* exponent, u32 rows, u32* cell) {
      HWY_DYNAMIC_DISPATCH(unpack_fp32_to_bf16_rows)(datum, exponent, rows, cell);
    };
  if (in != out) return nullptr;
  switch (in) {
    case Format::Bf16:
      return [](const u8* datum, const u8* exponent, u32 rows, u32* cell) {
        HWY_DYNAMIC_DISPATCH(unpack_bf16_rows)(datum, exponent, rows, cell);
      };
    case Format::Fp16:
      return [](const u8* datum, const u8* exponent, u32 rows, u32* cell) {
        HWY_DYNAMIC_DISPATCH(unpack_fp16_rows)(datum, exponent, rows, cell);
      };
    case Format::Bfp8:
      return [](const u8* datum, const u8* exponent, u32 rows, u32* cell) {
        HWY_DYNAMIC_DISPATCH(unpack_bfp8_rows)(datum, exponent, rows, cell);
      };
    default:
      return nullptr;
  }
}

namespace {

PackRows pack_rows_16(Format out) {
  switch (out) {
    case Format::Bf16:
      return [](const PackJob& job) { return HWY_DYNAMIC_DISPATCH(pack_16_bf16_rows)(job); };
    case Format::Fp32:
      return [](const PackJob& job) { return HWY_DYNAMIC_DISPATCH(pack_16_fp32_rows)(job); };
    case Format::Bfp8:
      return [](const PackJob& job) { return HWY_DYNAMIC_DISPATCH(pack_16_bfp8_rows)(job); };
    default:
      return nullptr;
  }
}

PackRows pack_rows_32(PackCode code, Format out) {
  const bool wide = code == PackCode::Fp32;
  if (out == Format::Fp32 && wide)
    return [](const PackJob& job) { return HWY_DYNAMIC_DISPATCH(pack_32_fp32_rows)(job); };
  if (out == Format::Bf16 && !wide)
    return [](const PackJob& job) { return HWY_DYNAMIC_DISPATCH(pack_32_bf16_rows)(job); };
  if (out != Format::Bfp8) return nullptr;
  if (wide)
    return [](const PackJob& job) { return HWY_DYNAMIC_DISPATCH(pack_32_fp32_to_bfp8_rows)(job); };
  return [](const PackJob& job) { return HWY_DYNAMIC_DISPATCH(pack_32_bf16_to_bfp8_rows)(job); };
}

}  // namespace

PackRows pack_rows(bool read_32b, const EarlyConversion& early, Format out) {
  // The raw variants of BF16 truncate instead of rounding, and have no kernel.
  if (early.code == PackCode::Bf16 && early.rounds)
    return read_32b ? pack_rows_32(early.code, out) : pack_rows_16(out);
  if (early.code == PackCode::Fp32 && read_32b) return pack_rows_32(early.code, out);
  return nullptr;
}

}  // namespace bhemu::numeric
#endif  // HWY_ONCE
