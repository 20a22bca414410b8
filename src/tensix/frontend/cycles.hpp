// The cycles of one call of Coprocessor::run.
#pragma once

#include <algorithm>

#include "tensix/frontend/frontend.hpp"
#include "tensix/frontend/gate.hpp"
#include "tensix/frontend/turn.hpp"
#include "tensix/sfpu/schedule.hpp"

namespace bhemu::tensix::frontend {

/// The first cycle after `now` in which something happens by itself: a window ends, or a queued
/// word becomes available.
/// `full`: in the Full build a unit or a thread may also be free again before.
[[gnu::always_inline]] inline Cycle next_event(const State& state, Cycle now, bool full) {
  Cycle next = kNever;
  if (full) {
    for (const Cycle until : state.taken_until)
      if (until > now) next = std::min(next, until);
    for (const Cycle until : state.held_until)
      if (until > now) next = std::min(next, until);
    for (u32 i = 0; i < state.late.rows; ++i) next = std::min(next, state.late.row[i].at);
    for (const Cycle until : state.late.bank_until)
      if (until > now) next = std::min(next, until);
    if (state.flights.any()) next = std::min(next, state.flights.next());
    for (u32 i = 0; i < state.effects.count; ++i)
      if (state.effects.effect[i].at > now) next = std::min(next, state.effects.effect[i].at);
  }
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    for (const Cycle until : state.busy_until[thread]) {
      if (until > now) next = std::min(next, until);
    }
    if (!state.frontend[thread].stopped)
      next = std::min(next, next_available(state.frontend[thread], now));
  }
  if (state.mover.busy_until > now) next = std::min(next, state.mover.busy_until);
  return next;
}

/// Effects of the Full build that are due at the latest when cycle `next` begins.
template <class Turn>
void land_until(State& state, const Environment& env, Cycle next) {
  if constexpr (!Turn::kPlain) {
    if ((state.effects.count | state.late.rows) != 0) land_due(state, env, next);
    if (state.flights.any()) land_pieces(state, env, next);
  }
}

/// `Turn`: Turn, FullTurn, or the one that tells a trace about it.
template <class Turn>
void run_cycles(State& state, const Environment& env, Turn& turn, Cycle from, Cycle until) {
  for (Cycle now = from; now < until;) {
    now = turn.burst(now, until);
    if (now == until) break;
    u8 accepted = 0;
    if (sfpu::schedule_in_use(state)) [[unlikely]]
      sfpu::begin_cycle(state, env, now);
    bool changed = turn.cycle(now, accepted);
    if (sfpu::schedule_in_use(state)) [[unlikely]] {
      sfpu::end_cycle(state, now, (accepted & kAcceptSfpu) != 0);
      changed |= sfpu::schedule_advances(state);
    }
    if (changed) {
      ++now;
      land_until<Turn>(state, env, now);
      continue;
    }
    const Cycle next = next_event(state, now, !Turn::kPlain && env.timing != nullptr);
    if (next == kNever) {
      // Nothing in here changes any more. A poll of L1 has marked its line (L1::kPolled); who
      // writes there, or to a stream register, calls rouse().
      state.asleep = true;
      break;
    }
    now = std::min(next, until);
    land_until<Turn>(state, env, now);
  }
  advance(state, env, until);
}

}  // namespace bhemu::tensix::frontend
