// Seeding of the pseudo-random generators by a write to PRNG_SEED_Seed_Val (word 186).
//
// Documents: numerics-sfpu section 8 (generator and seeding of the vector unit's lanes).
#pragma once

#include "tensix/state.hpp"

namespace bhemu::tensix {

/// One step of a lane's 32-bit shift register; the value used is the one before the step.
constexpr u32 step_generator(u32 value) {
  const u32 feedback = 1u ^ value ^ (value >> 1) ^ (value >> 21) ^ (value >> 31);
  return value >> 1 | (feedback & 1u) << 31;
}

inline void seed_generators(State& state, u32 seed) {
  u32 value = seed;
  for (unsigned i = 0; i < 32; ++i) value = step_generator(value);
  for (unsigned lane = kLanes; lane-- > 0;) {
    value = step_generator(step_generator(value));
    state.sfpu.prng[lane] = value;
  }
  // The packer's generators are seeded too; that they continue the chain is our choice.
  for (unsigned column = kRowDatums; column-- > 0;) {
    value = step_generator(step_generator(value));
    state.packer.random[column] = value;
  }
}

/// The packer's random numbers for one row; its generators step on.
inline std::array<u32, kRowDatums> draw_random(PackerState& packer) {
  const std::array<u32, kRowDatums> drawn = packer.random;
  for (u32& value : packer.random) value = step_generator(value);
  return drawn;
}

}  // namespace bhemu::tensix
