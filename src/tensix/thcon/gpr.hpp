// GPRs as the scalar unit addresses them: words, and halves of words. Owner: thcon/.
#pragma once

#include "tensix/context.hpp"

namespace bhemu::tensix {

using GprFile = std::array<u32, kGprs>;

inline GprFile& gprs(Context& context) {
  return context.state.thcon.gpr[context.thread];
}

/// Half register `index` 0..127: the low half of GPR index / 2 when even, the high half when odd.
inline u32 read_half(const GprFile& gpr, u32 index) {
  return bits(gpr[index / 2], 16 * (index % 2), 16);
}
inline void write_half(GprFile& gpr, u32 index, u32 value) {
  gpr[index / 2] = with_bits(gpr[index / 2], 16 * (index % 2), 16, value);
}

}  // namespace bhemu::tensix
