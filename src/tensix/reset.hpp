// Power-on state, and the units that SOFT_RESET_0 holds in reset.
//
// Documents: tt-isa-documentation BlackholeA0 SoftReset.md, Dst.md, LReg.md.
#pragma once

#include "tensix/coprocessor.hpp"
#include "tensix/state.hpp"

namespace bhemu::tensix {

/// The state after power-on, of which every coprocessor begins with a copy.
const SparseImage<State>& powered_on();

void power_on(State& state);

/// `bits` is the new SOFT_RESET_0: carries out what entering and leaving reset does.
void apply_soft_reset(State& state, const Environment& env, u32 bits, Cycle now);

/// A TRISC enters reset: the words in front of and in its MOP expander are lost.
void discard_frontend(State& state, const Environment& env, unsigned thread);

/// At least one lane of the vector unit is enabled (bit sfpu_cc of tt_cfg_qstatus).
bool any_lane_enabled(const State& state);

}  // namespace bhemu::tensix
