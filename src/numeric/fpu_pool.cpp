#include "numeric/fpu_pool.hpp"

#include "base/bits.hpp"
#include "numeric/fpu_arithmetic.hpp"

namespace bhemu::numeric {
namespace {

/// A number that can be compared: the exponents carry the bias twice, for the scale of SrcB.
struct PoolDatum {
  bool negative = false;
  u32 exponent = 0;  // 9 bits
  u32 mantissa = 0;  // or the low bits of an integer's magnitude, 10 bits

  i32 key() const {
    const i32 magnitude = static_cast<i32>((exponent << 10) + mantissa);
    return negative ? -magnitude : magnitude;
  }
};

PoolDatum datum_of_dst(u32 stored, PoolStyle style) {
  PoolDatum d{(stored >> 31) != 0, 0, 0};
  switch (style) {
    case PoolStyle::Int32:  // sign, magnitude 22:16, magnitude 30:23, magnitude 15:0; 19 bits count
      d.mantissa = bits(stored, 0, 10);
      d.exponent = bits(stored, 10, 6) + (bits(stored, 24, 3) << 6);
      break;
    case PoolStyle::Fp16:
      d.exponent = bits(stored, 16, 5) + 15;
      d.mantissa = bits(stored, 21, 10);
      break;
    default:
      d.exponent = bits(stored, 16, 8) + 127;
      d.mantissa = bits(stored, 24, 7) << 3;
      if (style == PoolStyle::Tf32) d.mantissa += bits(stored, 13, 3);
      break;
  }
  return d;
}

u32 dst_of_datum(const PoolDatum& d, PoolStyle style) {
  const u32 sign = static_cast<u32>(d.negative) << 31;
  switch (style) {
    case PoolStyle::Int32:
      return sign | (d.exponent & 7) << 10 | d.mantissa;
    case PoolStyle::Fp16:
      if ((d.exponent & 0x3F) == 0) return 0;
      return sign | d.mantissa << 21 | ((d.exponent - 15) & 0x1F) << 16;
    default: {
      if (d.exponent == 0) return 0;
      u32 value = sign | (d.mantissa >> 3) << 24 | ((d.exponent - 127) & 0xFF) << 16;
      if (style == PoolStyle::Tf32) value |= (d.mantissa & 7) << 13;
      return value;
    }
  }
}

/// A cell of SrcA, scaled by the exponent of a cell of SrcB.
PoolDatum scaled_source(u32 a, u32 b, PoolStyle style) {
  const u32 exponent_a = cell_exponent(a);
  const u32 exponent_b = cell_exponent(b);
  if (exponent_b == 0) return {true, 0x1FF, 0x3FF};  // minus infinity
  if (exponent_a == 0) return {};
  PoolDatum d{cell_negative(a), exponent_a + exponent_b, cell_mantissa(a)};
  switch (style) {
    case PoolStyle::Int8:
      d.exponent = 0;
      break;
    case PoolStyle::Fp16:
      d.exponent = (exponent_a & 0x1F) + (exponent_b & 0x1F);
      break;
    case PoolStyle::Bf16:
      d.mantissa &= 0x3F8;
      break;
    default:
      break;
  }
  return d;
}

}  // namespace

u32 pool_maximum(const u32 a[16], const u32 scale[16], u32 stored, const PoolMode& mode) {
  PoolDatum maximum = datum_of_dst(stored, mode.dst);
  const u32 phase = (stored + 0x100) & 0xF00;
  u32 index = stored & 0xFF;
  for (u32 step = 0; step < 16; ++step) {
    const u32 row = pool_row(step);
    const PoolDatum x = scaled_source(a[row], scale[row], mode.source);
    if (x.key() < maximum.key()) continue;
    maximum = x;
    if (row < 8) index = (phase >> 4) + kPoolIndex[row];
  }
  const u32 value = dst_of_datum(maximum, mode.dst);
  if (!mode.index) return value;
  return mode.dst == PoolStyle::Int32 ? phase | index : value | phase | index;
}

}  // namespace bhemu::numeric
