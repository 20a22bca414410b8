// SFPLOADMACRO's schedule: instructions that wait for their cycle in the sub-units.
//
// Documents: tt-isa-documentation BlackholeA0 SFPLOADMACRO.md, VectorUnit.md.
// A cycle: scheduled instructions that are due read their registers, then the threads issue, then
// the results of the former become visible (those of the multiply-add sub-unit, SFPSWAP and the
// rotations of SFPSHFT2 a cycle later) and the delays count down.
// While anything waits whose delay counts instructions (WaitForElapsedInstructions), a cycle in
// which no thread issues an instruction to the vector unit does not happen for the schedule:
// nothing counts, nothing executes, no result arrives. The page says so of the counts of all
// sub-units, and lets a delay of 0 execute in the next cycle all the same; but LLK's reciprocal for
// 16-bit Dst (ckernel_sfpu_recip.h, _calculate_reciprocal_fast_8b_3c_), which a core pushes word by
// word, keeps two values in one register by the two cycles of SFPMAD alone, and passes its test on
// cards. ckernel_sfpu_exp.h says of the bits that they keep the pipeline from advancing. Chosen
// where the documents leave it open: lane flags that a scheduled instruction changes take effect
// with its results; work that waits for an instruction does not keep the unit busy, since nothing
// could ever end such a wait.
#pragma once

#include "tensix/context.hpp"

namespace bhemu::tensix::sfpu {

inline bool schedule_in_use(const State& state) {
  const SfpuSchedule& schedule = state.sfpu.schedule;
  return !schedule.empty() || (schedule.idle_next | schedule.taken) != 0;
}
/// Cycles alone, without any further instruction, change the schedule.
bool schedule_advances(const State& state);

/// Before the threads issue: executes what is due in cycle `now`, unless that takes an instruction.
void begin_cycle(State& state, const Environment& env, Cycle now);
/// An instruction of the vector unit is about to execute: what waited for one does so beside it.
void before_issue(State& state, const Environment& env, Cycle now);
/// After they did; `issued`: one of them issued an instruction to the vector unit.
void end_cycle(State& state, Cycle now, bool issued);
/// A scheduled instruction has taken the sub-unit that the issued instruction needs.
bool is_discarded(Context& context);

}  // namespace bhemu::tensix::sfpu
