// Hash of the coprocessor's state: what can still have an effect, and nothing that depends on how
// the run was cut into calls.
#pragma once

#include "tensix/state.hpp"

namespace bhemu::tensix {

u64 hash_of(const State& state, u64 seed);

}  // namespace bhemu::tensix
