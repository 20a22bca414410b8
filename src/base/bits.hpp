// Bit-field helpers.
#pragma once

#include "base/types.hpp"

namespace bhemu {

/// `width` bits of `word` from bit `low` up, right-aligned. `width` 1..32.
constexpr u32 bits(u32 word, unsigned low, unsigned width) {
  return (word >> low) & (width >= 32 ? ~0u : (1u << width) - 1u);
}
constexpr bool bit(u32 word, unsigned index) {
  return ((word >> index) & 1u) != 0;
}

/// The low `width` bits of `value` as a two's complement number.
constexpr i32 sign_extend(u32 value, unsigned width) {
  const u32 shift = 32 - width;
  return static_cast<i32>(value << shift) >> shift;
}

/// `word` with the field (`low`, `width`) replaced by `value`.
constexpr u32 with_bits(u32 word, unsigned low, unsigned width, u32 value) {
  const u32 mask = (width >= 32 ? ~0u : (1u << width) - 1u) << low;
  return (word & ~mask) | ((value << low) & mask);
}

constexpr bool is_aligned(u64 value, u64 alignment) {
  return (value & (alignment - 1)) == 0;
}
constexpr u64 align_up(u64 value, u64 alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}

}  // namespace bhemu
