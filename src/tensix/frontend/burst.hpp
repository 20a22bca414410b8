// A thread that is alone with its coprocessor, and whom nobody watches, executes instruction after
// instruction without the care that three threads in a cycle need. The same steps as `step` in
// gate.hpp, with the same effect; what it does not know how to do it leaves to `step`.
#pragma once

#include "tensix/context.hpp"

namespace bhemu::tensix::frontend {

/// Executes cycles of `thread` from `now` on, at most until `until`. Returns the first cycle not
/// executed; `now` itself when this is no case for it.
Cycle burst(State& state, const Environment& env, unsigned thread, Cycle now, Cycle until);

}  // namespace bhemu::tensix::frontend
