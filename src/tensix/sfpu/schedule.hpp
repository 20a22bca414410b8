// SFPLOADMACRO's schedule: instructions that wait for their cycle in the sub-units.
//
// Documents: tt-isa-documentation BlackholeA0 SFPLOADMACRO.md, VectorUnit.md.
// A cycle: scheduled instructions that are due read their registers, then the threads issue, then
// the results of the former become visible (those of the multiply-add sub-unit, SFPSWAP and the
// rotations of SFPSHFT2 a cycle later) and the delays count down.
// Chosen where the documents leave it open: lane flags that a scheduled instruction changes take
// effect with its results; work whose delay counts instructions does not keep the unit busy while
// it waits for one, since nothing could ever end such a wait.
#pragma once

#include "tensix/context.hpp"

namespace bhemu::tensix::sfpu {

inline bool schedule_in_use(const State& state) {
  const SfpuSchedule& schedule = state.sfpu.schedule;
  return !schedule.empty() || (schedule.idle_next | schedule.taken) != 0;
}
/// Cycles alone, without any further instruction, change the schedule.
bool schedule_advances(const State& state);

/// Before the threads issue: executes what is due in cycle `now`.
void begin_cycle(State& state, const Environment& env, Cycle now);
/// After they did; `issued`: one of them issued an instruction to the vector unit.
void end_cycle(State& state, Cycle now, bool issued);
/// A scheduled instruction has taken the sub-unit that the issued instruction needs.
bool is_discarded(Context& context);

}  // namespace bhemu::tensix::sfpu
