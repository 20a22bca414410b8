// GPRs as the scalar unit addresses them: words, and halves of words. Owner: thcon/.
#pragma once

#include "tensix/context.hpp"
#include "tensix/effects.hpp"

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

/// The bits of `mask` of a GPR get a new value, in the window of the instruction.
inline void put_gpr(const Context& context, u32 index, u32 value, u32 mask = ~0u) {
  if (context.env.timing == nullptr) {
    context.touch(Resource::Gpr);
    u32& gpr = context.state.thcon.gpr[context.thread][index];
    gpr = (value & mask) | (gpr & ~mask);
    return;
  }
  Effect effect;
  effect.kind = EffectKind::Gpr;
  effect.gpr = static_cast<u8>(index);
  effect.value[0] = value;
  effect.mask = mask;
  put(context, effect);
}

}  // namespace bhemu::tensix
