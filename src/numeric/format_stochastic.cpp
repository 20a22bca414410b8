#include "numeric/format_stochastic.hpp"

#include <algorithm>

namespace bhemu::numeric {
namespace {

/// Magnitude of 31 bits with NaN as infinity, `kDropped` bits rounded away; below the smallest
/// normal +0.
template <u32 kDropped>
u32 rounded32(u32 stored, u32, u32 random) {
  const u32 v = fp32_from_dst(stored);
  const u32 magnitude = std::min(v & 0x7FFFFFFFu, 0x7F800000u);
  const u32 q = (magnitude + rounding_bias(random, kDropped)) >> kDropped;
  // Infinity is not rounded beyond itself.
  const u32 result = std::min(q, 0x7F800000u >> kDropped);
  if (result < 0x800000u >> kDropped) return 0;
  // BF16 without its lowest bit keeps its place.
  const u32 shift = kDropped == 17 ? 1 : 0;
  return (v >> 31) << (31 - kDropped + shift) | result << shift;
}

u32 integer_of(u32 v, u32 shift, u32 random, u32 greatest) {
  const u64 magnitude = v & 0x7FFFFFFFu;
  if (shift == 0) return static_cast<u32>(std::min<u64>(magnitude, greatest));
  // Beyond 23 bits the random number has zeros below.
  const u64 bias = shift <= 23 ? rounding_bias(random, shift)
                               : (u64{1} << shift) - (u64{random & 0x7FFFFFu} << (shift - 23));
  return static_cast<u32>(std::min<u64>((magnitude + bias) >> shift, greatest));
}
u32 int8_of(u32 stored, u32 shift, u32 random) {
  const u32 v = fp32_from_dst(stored);
  return (v >> 31) << 7 | integer_of(v, shift, random, 127);
}
u32 uint8_of(u32 stored, u32 shift, u32 random) {
  const u32 v = fp32_from_dst(stored);
  return (v >> 31) != 0 ? 0 : integer_of(v, shift, random, 255);
}

u32 e8m6_of_bf16(u32 stored, u32, u32 random) {
  const u32 v = bf16_from_dst(static_cast<u16>(stored));
  const u32 magnitude = std::min(v & 0x7FFF, 0x7F80u);
  if (magnitude < 0x80) return 0;
  const u32 q = std::min((magnitude + rounding_bias(random, 1)) >> 1 << 1, 0x7F80u);
  return (v & 0x8000) | q;
}

u32 e5m6_of_fp16(u32 stored, u32, u32 random) {
  const u32 v = fp16_from_dst(static_cast<u16>(stored));
  const u32 magnitude = std::min(v & 0x7FFF, 0x7FF0u);
  const u32 q = std::min((magnitude + rounding_bias(random, 4)) & ~15u, 0x7FF0u);
  return q < 0x400 ? 0 : (v & 0x8000) | q;
}

template <u32 (*kConvert)(u32, u32, u32)>
void stochastic_row(const u32* stored, u32 shift, const u32* random, u32* code) {
  for (u32 i = 0; i < kRow; ++i) code[i] = kConvert(stored[i], shift, random[i]);
}

}  // namespace

StochasticRow stochastic_conversion(const EarlyMode& mode) {
  const EarlyConversion nearest = early_conversion(mode);
  if (nearest.row == nullptr || !nearest.rounds) return nullptr;
  if (!mode.read_32b) {
    if (nearest.code == PackCode::E8m6) return stochastic_row<e8m6_of_bf16>;
    if (nearest.code == PackCode::E5m6) return stochastic_row<e5m6_of_fp16>;
    return nullptr;
  }
  switch (nearest.code) {
    case PackCode::Bf16:
      return stochastic_row<rounded32<16>>;
    case PackCode::E8m6:
      return stochastic_row<rounded32<17>>;
    case PackCode::Tf32:
    case PackCode::Fp16Wide:
      return stochastic_row<rounded32<13>>;
    case PackCode::Int8:
      return stochastic_row<int8_of>;
    case PackCode::Uint8:
      return stochastic_row<uint8_of>;
    default:
      return nullptr;
  }
}

Block assemble_group_stochastic(Format to, const u16* group, const u32* random) {
  Block block;
  u32 shared = 0;
  for (u32 i = 0; i < kRow; ++i) shared = std::max(shared, u32{group[i]} >> 7 & 0xFF);
  block.exponent = static_cast<u8>(shared);
  const u32 bits = bits_of(to);
  for (u32 i = 0; i < kRow; ++i) {
    const u32 exponent = u32{group[i]} >> 7 & 0xFF;
    const u32 mantissa = (group[i] & 0x7Fu) + (exponent != 0 ? 128 : 0);
    const u32 dropped = shared - exponent + 1;
    if (dropped > 8) continue;
    u32 magnitude = std::min((mantissa + rounding_bias(random[i], dropped)) >> dropped, 127u);
    magnitude >>= 8 - bits;
    const u32 sign = u32{group[i]} >> 15;
    block.datum[i] = static_cast<u8>(magnitude == 0 ? 0 : sign << (bits - 1) | magnitude);
  }
  return block;
}

}  // namespace bhemu::numeric
