#include "noc/atomics.hpp"

#include <algorithm>
#include <cstring>

#include "base/bits.hpp"
#include "numeric/format_accumulate.hpp"

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

/// The adders of L1's near-memory accumulation, which packers use too (Atomics.md gives the formats
/// and the flushing; numeric/format_accumulate.hpp the corner cases).
void accumulate(u32 format, u32 data, AtomicLine& line) {
  for (u32 offset = 0; offset < 16; offset += 4) {
    switch (format & 7) {
      case 0:
      case 4:
      case 5: {
        const u32 old = word_at(line, offset);
        const u32 sum = (format & 7) == 0 ? numeric::accumulate_fp32(old, data) : old + data;
        std::memcpy(line.data() + offset, &sum, 4);
        break;
      }
      case 1:
      case 2:
        for (u32 half = 0; half < 2; ++half) {
          const u16 old = half_at(line, offset + 2 * half);
          const u16 add = static_cast<u16>(data >> (16 * half));
          set_half(line, offset + 2 * half,
                   (format & 7) == 1 ? numeric::accumulate_fp16(old, add)
                                     : numeric::accumulate_bf16(old, add));
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
