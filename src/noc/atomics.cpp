#include "noc/atomics.hpp"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstring>

#include "base/bits.hpp"

namespace bhemu::noc {
namespace {

enum Instruction : u32 {  // NOC_AT_LEN_BE[15:12]
  kNop = 0,
  kIncrement = 1,
  kIncrementPointer = 2,
  kSwapMask = 3,
  kCompareAndSwap = 4,
  kSwapIndex6 = 6,
  kSwapIndex7 = 7,
  kAccumulate = 9,
  kZaamo = 10,
};

u32 word_at(const AtomicLine& line, u32 offset) {
  u32 value;
  std::memcpy(&value, line.data() + offset, 4);
  return value;
}
u16 half_at(const AtomicLine& line, u32 offset) {
  u16 value;
  std::memcpy(&value, line.data() + offset, 2);
  return value;
}
void set_half(AtomicLine& line, u32 offset, u16 value) {
  std::memcpy(line.data() + offset, &value, 2);
}
void set_word(AtomicLine& line, u32 offset, u32 value, AtomicEffect& effect) {
  std::memcpy(line.data() + offset, &value, 4);
  effect.first = offset;
  effect.bytes = 4;
}

u32 zaamo(u32 operation, u32 old, u32 data) {
  switch (operation) {
    case 0:
      return old + data;
    case 1:
      return old ^ data;
    case 2:
      return old | data;
    case 3:
      return old & data;
    case 4:
      return static_cast<i32>(old) < static_cast<i32>(data) ? old : data;
    case 5:
      return static_cast<i32>(old) > static_cast<i32>(data) ? old : data;
    case 6:
      return std::min(old, data);
    default:
      return std::max(old, data);
  }
}

// The adders below are those of L1's near-memory accumulation, which packers use too
// (facts/numerics-pack-unpack.md section 10); Atomics.md gives the formats and the flushing.
constexpr bool is_denormal32(u32 value) {
  return (value & 0x7F800000) == 0;
}
u32 add_fp32(u32 old, u32 data) {
  if (is_denormal32(old)) old &= 0x80000000;
  if (is_denormal32(data)) data &= 0x80000000;
  const float sum = std::bit_cast<float>(old) + std::bit_cast<float>(data);
  if (std::isnan(sum)) return 0x7FC00000;
  const u32 result = std::bit_cast<u32>(sum);
  return is_denormal32(result) ? result & 0x80000000 : result;
}

// |value| rounded to nearest even with `fraction` bits after the leading one of 2^exponent.
u32 round_mantissa(double magnitude, int exponent, int fraction) {
  const double scaled = std::ldexp(magnitude, fraction - exponent);  // in [2^f, 2^(f+1))
  const double whole = std::floor(scaled);
  const double rest = scaled - whole;
  u32 result = static_cast<u32>(whole);
  if (rest > 0.5 || (rest == 0.5 && (result & 1) != 0)) ++result;
  return result;
}

u16 add_bf16(u16 old, u16 data) {
  const auto value = [](u16 bf16, bool is_old) {
    const double sign = bit(bf16, 15) ? -1.0 : 1.0;
    const u32 exponent = bits(bf16, 7, 8);
    const double mantissa = 1.0 + bits(bf16, 0, 7) / 128.0;
    if (exponent == 0) return sign * 0.0;
    if (exponent != 255) return sign * std::ldexp(mantissa, static_cast<int>(exponent) - 127);
    if (mantissa == 1.0) return sign * static_cast<double>(INFINITY);
    return sign * (is_old ? DBL_MAX : std::ldexp(mantissa, 128));
  };
  const double sum = value(old, true) + value(data, false);
  if (std::isnan(sum)) return 0x7FC0;
  const u16 sign = std::signbit(sum) ? 0x8000 : 0;
  if (std::isinf(sum)) return sign | 0x7F80;
  if (sum == 0) return sign;
  const int exponent = std::ilogb(sum) + 127;
  if (exponent <= 0) return sign;
  if (exponent >= 255) return sign | 0x7F80;
  const u32 rounded = round_mantissa(std::fabs(sum), exponent - 127, 7);
  return static_cast<u16>(sign | ((static_cast<u32>(exponent) << 7) + (rounded - 128)));
}

u16 add_fp16(u16 old, u16 data) {
  const auto value = [](u16 fp16) {
    const float sign = bit(fp16, 15) ? -1.0f : 1.0f;
    const u32 exponent = bits(fp16, 10, 5);
    if (exponent == 0) return sign * 0.0f;
    return sign * std::ldexp(1.0f + static_cast<float>(bits(fp16, 0, 10)) / 1024.0f,
                             static_cast<int>(exponent) - 15);
  };
  const float sum = value(old) + value(data);
  const u16 sign = std::signbit(sum) ? 0x8000 : 0;
  if (sum == 0) return sign | (bits(old, 10, 5) >= 30 ? 0x7FFF : 0);
  const int exponent = std::ilogb(sum) + 15;
  if (exponent < 0) return sign | 0x7FFF;
  if (exponent == 0) return sign;
  const u32 rounded = round_mantissa(std::fabs(sum), exponent - 15, 10);
  const u32 magnitude = (static_cast<u32>(exponent) << 10) + (rounded - 1024);
  return static_cast<u16>(sign | std::min(magnitude, 0x7FFFu));
}

void accumulate(u32 format, u32 data, AtomicLine& line) {
  for (u32 offset = 0; offset < 16; offset += 4) {
    switch (format & 7) {
      case 0:
      case 4:
      case 5: {
        const u32 old = word_at(line, offset);
        const u32 sum = (format & 7) == 0 ? add_fp32(old, data) : old + data;
        std::memcpy(line.data() + offset, &sum, 4);
        break;
      }
      case 1:
      case 2:
        for (u32 half = 0; half < 2; ++half) {
          const u16 old = half_at(line, offset + 2 * half);
          const u16 add = static_cast<u16>(data >> (16 * half));
          set_half(line, offset + 2 * half,
                   (format & 7) == 1 ? add_fp16(old, add) : add_bf16(old, add));
        }
        break;
      default:
        for (u32 byte = 0; byte < 4; ++byte) {
          const u32 sum = line[offset + byte] + bits(data, 8 * byte, 8);
          line[offset + byte] = static_cast<u8>(format == 7 ? std::min(sum, 255u) : sum);
        }
    }
  }
}

}  // namespace

bool atomic_is_documented(u32 operation) {
  switch (bits(operation, 12, 4)) {
    case kNop:
    case kIncrement:
    case kIncrementPointer:
    case kSwapMask:
    case kCompareAndSwap:
    case kSwapIndex7:
      return true;
    case kSwapIndex6:
      return bit(operation, 2);
    case kAccumulate:
      return ((1u << bits(operation, 0, 4)) & 0b1011'0111'1001'0111u) != 0;
    case kZaamo:
      return bit(operation, 11) || bits(operation, 8, 4) == 3;
    default:
      return false;
  }
}

AtomicEffect apply_atomic(u32 operation, u32 data, u32 address, AtomicLine& line) {
  AtomicEffect effect;
  effect.result = word_at(line, address & 12);
  const u32 word = bits(operation, 0, 2) * 4;
  const u32 old = word_at(line, word);
  switch (bits(operation, 12, 4)) {
    case kIncrement: {
      const u32 width = bits(operation, 2, 5);
      const u32 mask = width == 31 ? ~0u : (2u << width) - 1;
      set_word(line, word, ((old + data) & mask) | (old & ~mask), effect);
      break;
    }
    case kIncrementPointer: {
      const u32 step = std::max(bits(operation, 6, 4), 1u);
      const u32 wrap = bits(operation, 2, 4);
      const u32 next = effect.result + step;
      set_word(line, address & 12, wrap != 0 && next >= wrap ? 0 : next, effect);
      break;
    }
    case kSwapMask:
      for (u32 half = 0; half < 8; ++half)
        if (bit(operation, 2 + half))
          set_half(line, 2 * half, static_cast<u16>(data >> (16 * (half & 1))));
      effect.bytes = bits(operation, 2, 8) != 0 ? 16 : 0;
      break;
    case kCompareAndSwap:
      if (old == bits(operation, 2, 4)) set_word(line, word, bits(operation, 6, 4), effect);
      break;
    case kSwapIndex6:
      set_word(line, word, data, effect);
      break;
    case kSwapIndex7:
      set_word(line, bits(operation, 2, 2) * 4, data, effect);
      break;
    case kAccumulate:
      accumulate(bits(operation, 0, 4), data, line);
      effect.bytes = 16;
      break;
    case kZaamo:
      set_word(line, word, bit(operation, 11) ? zaamo(bits(operation, 8, 3), old, data) : data,
               effect);
      break;
    default:  // NOP
      break;
  }
  return effect;
}

}  // namespace bhemu::noc
