// Unpackers: whole rows of datums to Src cells. Each formula is that of format_unpack.hpp.
#include <cstring>

#include "numeric/format_rows.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numeric/format_rows_unpack.cpp"
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

enum class Unpacking {
  Bf16,
  Fp16,
  Int16,
  Fp32ToTf32,
  Fp32ToBf16,
  Fp32ToFp16,
  Bfp,
  Fp8E5m2,
  Fp8E4m3,
  Int8,
  Uint8
};

/// `value` where `field` is not 0.
HWY_INLINE V unless_zero(V field, u32 value) {
  const Words d;
  return hn::IfThenZeroElse(hn::Eq(field, hn::Zero(d)), hn::Set(d, value));
}

/// A datum of BFP8 with its exponent.
HWY_INLINE V block_float(V v, V exponent) {
  const Words d;
  const V sign = hn::ShiftLeft<24>(hn::And(v, hn::Set(d, 0x80)));
  const V magnitude = hn::And(v, hn::Set(d, 0x7F));
  // As a float the magnitude is normalised: 133 is the exponent of its top bit.
  const hn::RebindToFloat<Words> df;
  const V number = hn::BitCast(d, hn::ConvertTo(df, hn::BitCast(Signed(), magnitude)));
  const V shared = hn::Add(hn::ShiftRight<23>(number), hn::Sub(exponent, hn::Set(d, 133)));
  const V normal = hn::Or(hn::Or(sign, hn::ShiftLeft<23>(hn::And(shared, hn::Set(d, 0xFF)))),
                          hn::And(number, hn::Set(d, 0x3Fu << 17)));
  // Sign without magnitude is -infinity.
  return hn::IfThenElse(hn::Eq(magnitude, hn::Zero(d)), unless_zero(sign, 0xFF800000u), normal);
}

HWY_INLINE V fp32_to_fp16(V v) {
  const Words d;
  const V sign = hn::And(v, hn::Set(d, 0x80000000u));
  const V magnitude = hn::AndNot(sign, v);
  const V moved = hn::And(hn::Sub(magnitude, hn::Set(d, 112u << 23)), hn::Set(d, 0xFFFFE000u));
  const V large = hn::Set(d, 31u << 23 | 0x3FFu << 13);
  const V value = hn::IfThenElse(hn::Lt(magnitude, hn::Set(d, 144u << 23)), moved, large);
  return hn::Or(sign, hn::IfThenZeroElse(hn::Lt(magnitude, hn::Set(d, 112u << 23)), value));
}

/// Datums of one byte.
template <Unpacking kWhat>
HWY_INLINE V unpacked_byte(V v) {
  const Words d;
  const V sign = hn::ShiftLeft<24>(hn::And(v, hn::Set(d, 0x80)));
  const V rest = hn::And(v, hn::Set(d, 0x7F));
  if constexpr (kWhat == Unpacking::Int8) {
    return hn::Or(hn::Or(sign, hn::ShiftLeft<13>(rest)), unless_zero(rest, 16u << 23));
  } else if constexpr (kWhat == Unpacking::Uint8) {
    return hn::Or(hn::ShiftLeft<13>(v), unless_zero(v, 16u << 23));
  } else {
    const V full = hn::IfThenElseZero(hn::Eq(rest, hn::Set(d, 0x7F)), hn::Set(d, 0x3FFu << 13));
    if constexpr (kWhat == Unpacking::Fp8E5m2)
      return hn::Or(hn::Or(sign, hn::ShiftLeft<21>(rest)), full);
    const V bias = unless_zero(hn::And(rest, hn::Set(d, 0x78)), 8u << 23);
    return hn::Or(hn::Or(sign, hn::Add(hn::ShiftLeft<20>(rest), bias)), full);
  }
}

template <Unpacking kWhat>
HWY_INLINE V unpacked(const u8* datum, V exponent) {
  const Words d;
  if constexpr (kWhat == Unpacking::Bf16 || kWhat == Unpacking::Fp16 || kWhat == Unpacking::Int16) {
    const V v = hn::PromoteTo(d, hn::LoadU(Halves(), reinterpret_cast<const u16*>(datum)));
    if constexpr (kWhat == Unpacking::Bf16) return hn::ShiftLeft<16>(v);
    const V sign = hn::ShiftLeft<16>(hn::And(v, hn::Set(d, 0x8000)));
    if constexpr (kWhat == Unpacking::Fp16)
      return hn::Or(sign, hn::ShiftLeft<13>(hn::And(v, hn::Set(d, 0x7FFF))));
    return hn::Or(hn::Or(sign, hn::ShiftLeft<23>(hn::And(v, hn::Set(d, 0xFF)))),
                  hn::ShiftLeft<8>(hn::And(v, hn::Set(d, 0x7F00))));
  } else if constexpr (kWhat == Unpacking::Fp32ToTf32 || kWhat == Unpacking::Fp32ToBf16 ||
                       kWhat == Unpacking::Fp32ToFp16) {
    const V v = hn::LoadU(d, reinterpret_cast<const u32*>(datum));
    if constexpr (kWhat == Unpacking::Fp32ToTf32) return hn::And(v, hn::Set(d, 0xFFFFE000u));
    if constexpr (kWhat == Unpacking::Fp32ToFp16) return fp32_to_fp16(v);
    const auto denormal = hn::Eq(hn::And(v, hn::Set(d, 0x7F800000u)), hn::Zero(d));
    return hn::And(v, hn::IfThenElse(denormal, hn::Set(d, 0x80000000u), hn::Set(d, 0xFFFF0000u)));
  } else {
    const V v = hn::PromoteTo(d, hn::LoadU(Bytes(), datum));
    if constexpr (kWhat == Unpacking::Bfp) return block_float(v, exponent);
    return unpacked_byte<kWhat>(v);
  }
}

/// kRow datums of `kBits` at the top of a byte each, which is what they are in BFP8.
template <u32 kBits>
HWY_INLINE void widen(const u8* datum, u8* wide) {
  constexpr u32 kPerByte = 8 / kBits;
  constexpr u32 kMask = (0xFFu << (8 - kBits)) & 0xFFu;
  for (u32 i = 0; i < kRow / kPerByte; ++i)
    for (u32 j = 0; j < kPerByte; ++j)
      wide[i * kPerByte + j] = static_cast<u8>((u32{datum[i]} << (8 - kBits * (j + 1))) & kMask);
}

template <Unpacking kWhat, u32 kBits>
void unpack(const u8* datum, const u8* exponent, u32 rows, u32* cell) {
  const Words d;
  for (u32 row = 0; row < rows; ++row) {
    V shared = hn::Zero(d);
    if constexpr (kWhat == Unpacking::Bfp) shared = hn::Set(d, exponent[row]);
    constexpr u32 kBytes = kBits < 8 ? 1 : kBits / 8;
    HWY_ALIGN u8 wide[kRow];
    const u8* source = datum;
    if constexpr (kBits < 8) {
      widen<kBits>(datum, wide);
      source = wide;
    }
    for (u32 i = 0; i < kRow; i += static_cast<u32>(hn::Lanes(d)))
      hn::StoreU(unpacked<kWhat>(source + i * kBytes, shared), d, cell + i);
    datum += kRow * kBits / 8;
    cell += kRow;
  }
}

UnpackRows choose_unpack(Format in, Format out, UnpackFlags flags) {
  if (in == Format::Fp32) {
    if (out == Format::Tf32) return unpack<Unpacking::Fp32ToTf32, 32>;
    if (out == Format::Bf16) return unpack<Unpacking::Fp32ToBf16, 32>;
    if (out == Format::Fp16) return unpack<Unpacking::Fp32ToFp16, 32>;
    return nullptr;
  }
  if (!keeps_cell(in, out)) return nullptr;
  switch (in) {
    case Format::Bf16:
      return unpack<Unpacking::Bf16, 16>;
    case Format::Fp16:
      return unpack<Unpacking::Fp16, 16>;
    case Format::Int16:
      return unpack<Unpacking::Int16, 16>;
    case Format::Bfp8:
      return unpack<Unpacking::Bfp, 8>;
    case Format::Bfp4:
      return unpack<Unpacking::Bfp, 4>;
    case Format::Bfp2:
      return unpack<Unpacking::Bfp, 2>;
    case Format::Fp8:
      return flags.fp8_e4m3 ? unpack<Unpacking::Fp8E4m3, 8> : unpack<Unpacking::Fp8E5m2, 8>;
    case Format::Int8:
      return flags.int8_unsigned ? unpack<Unpacking::Uint8, 8> : unpack<Unpacking::Int8, 8>;
    default:
      return nullptr;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace bhemu::numeric
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bhemu::numeric {

HWY_EXPORT(choose_unpack);

UnpackRows unpack_rows(Format in, Format out, UnpackFlags flags) {
  return HWY_DYNAMIC_DISPATCH(choose_unpack)(in, out, flags);
}

}  // namespace bhemu::numeric
#endif  // HWY_ONCE
