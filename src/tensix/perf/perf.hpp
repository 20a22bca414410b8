// Performance counters: what a cycle of the coprocessor adds to which of them.
//
// Documents: tenstorrent/tt-llk, docs/performance_counters/performance_counters.md (registers,
// modes, meanings); tenstorrent/tt-metal, hw_counters.h (selects of Blackhole). The rows are in
// perf.def.
//
// A counter is a level that holds or does not hold in a cycle; the levels of a cycle follow from
// the state at its end. While no bank runs, nothing is looked at. In a stretch in which the
// coprocessor does not change, its levels are added for the whole stretch, so that counting makes
// no difference to who sleeps. All figures are those of the timing in use: in the fast timing a
// unit works for one cycle on an instruction.
#pragma once

#include "tensix/context.hpp"

namespace bhemu::tensix::perf {

/// What PERF_CNT_*1 can select, or null.
struct CounterInfo {
  const char* name;
  PerfBank bank;
  u16 select;
  i16 index;           // among the counters that count; -1: refused
  const char* reason;  // of the refusal
};
const CounterInfo* find_counter(PerfBank bank, u32 select);

/// A start in cycle `now`. `period`: cycles after which the bank stops by itself, or 0. `at`, not
/// later: the coprocessor has not been run further, and has not changed since if it sleeps.
struct Start {
  Cycle now = 0;
  Cycle at = 0;
  Cycle period = 0;
  bool without_cycles = false;
};
void start(State& state, PerfBank bank, const Start& how);
void stop(State& state, PerfBank bank, Cycle now);
/// Cycles that the bank has counted up to `now`.
u32 cycles(const State& state, PerfBank bank, Cycle now);
/// The counter's value as far as the coprocessor has been run, or up to cycle `at` if it sleeps.
u32 value(const State& state, const CounterInfo& counter, Cycle at);

/// Some bank counts in a cycle from `from` on.
inline bool runs(const PerfState& perf, Cycle from) {
  Cycle latest = 0;
  for (const Cycle until : perf.until) latest = std::max(latest, until);
  return latest > from;
}

/// Looks at single cycles during Coprocessor::run.
class Observer {
 public:
  /// Adds the stretch up to `from`, in which nothing happened.
  Observer(State& state, Cycle from);
  void before_cycle();
  /// Takes the levels of cycle `now`, which has been executed.
  void after_cycle(Cycle now);
  /// These levels hold for [begin, end).
  void add(Cycle begin, Cycle end);

 private:
  State& state_;
  std::array<u64, kThreads> executed_{};
};

}  // namespace bhemu::tensix::perf
