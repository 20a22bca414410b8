// The few meanings of isa.def that need more than an expression.
#pragma once

#include <bit>

#include "base/types.hpp"

namespace bhemu::riscv {

constexpr u32 divide(u32 a, u32 b) {
  if (b == 0) return ~0u;
  if (a == 0x80000000 && b == ~0u) return a;
  return static_cast<u32>(static_cast<i32>(a) / static_cast<i32>(b));
}

constexpr u32 remainder(u32 a, u32 b) {
  if (b == 0) return a;
  if (a == 0x80000000 && b == ~0u) return 0;
  return static_cast<u32>(static_cast<i32>(a) % static_cast<i32>(b));
}

constexpr u32 or_combine_bytes(u32 v) {
  v |= ((v & 0x55555555) << 1) | ((v & 0xAAAAAAAA) >> 1);
  v |= ((v & 0x33333333) << 2) | ((v & 0xCCCCCCCC) >> 2);
  return v | ((v & 0x0F0F0F0F) << 4) | ((v & 0xF0F0F0F0) >> 4);
}

/// Generalised reverse: bit k of `stages` swaps neighbouring groups of 2^k bits.
constexpr u32 reverse_general(u32 v, u32 stages) {
  if (stages & 1) v = ((v & 0x55555555) << 1) | ((v & 0xAAAAAAAA) >> 1);
  if (stages & 2) v = ((v & 0x33333333) << 2) | ((v & 0xCCCCCCCC) >> 2);
  if (stages & 4) v = ((v & 0x0F0F0F0F) << 4) | ((v & 0xF0F0F0F0) >> 4);
  if (stages & 8) v = ((v & 0x00FF00FF) << 8) | ((v & 0xFF00FF00) >> 8);
  if (stages & 16) v = std::rotl(v, 16);
  return v;
}

/// The condition of the branch `word`: bits 14:13 choose the comparison, bit 12 inverts it.
constexpr bool branch_taken(u32 word, u32 a, u32 b) {
  const u32 comparison = (word >> 13) & 3;
  const bool holds = comparison == 0   ? a == b
                     : comparison == 2 ? static_cast<i32>(a) < static_cast<i32>(b)
                                       : a < b;
  return holds != ((word >> 12 & 1) != 0);
}

}  // namespace bhemu::riscv
