#include "tensix/frontend/traced.hpp"
#include "tensix/frontend/waits.hpp"

#include <algorithm>

#include "tensix/frontend/frontend.hpp"
#include "tensix/frontend/turn.hpp"
#include "tensix/watch.hpp"

namespace bhemu::tensix::frontend {
namespace {

trace::Source source_of(Origin origin) {
  switch (origin) {
    case Origin::Brisc:
      return trace::Source::Brisc;
    case Origin::Mop:
      return trace::Source::Mop;
    case Origin::Replay:
      return trace::Source::Replay;
    default:
      return trace::Source::Queue;
  }
}

/// The unit of an instruction, as STALLWAIT knows it.
BusyUnit unit_of(u32 word) {
  const Decoded& decoded = kDecoded[opcode_of(word)];
  return claim_of(decoded, word).unit;
}

/// In this cycle the unit has accepted an instruction of another thread.
bool is_accepted(u32 word, u8 accepted) {
  const Decoded& decoded = kDecoded[opcode_of(word)];
  return (accepted & claim_of(decoded, word).accept) != 0;
}

}  // namespace

Cycle TracedTurn::burst(Cycle now, Cycle) {
  if (windows_are_watched(env_)) advance(state_, env_, now);
  return now;
}

bool TracedTurn::cycle(Cycle now, u8& accepted) {
  bool changed = false;
  for (unsigned thread = 0; thread < kThreads; ++thread) changed |= step(thread, now, accepted);
  return changed;
}

bool TracedTurn::step(unsigned thread, Cycle now, u8& accepted) {
  if (idle(state_.frontend[thread])) return false;
  return port_ != nullptr ? step_traced(thread, now, accepted)
                          : step_watched(thread, now, accepted);
}

bool TracedTurn::step_in_build(unsigned thread, Cycle now, u8& accepted) {
  StepNotes notes;
  const bool full = env_.timing != nullptr;
  if (env_.watch != nullptr)
    return full ? frontend::step<Watched<Full>>(state_, env_, thread, now, accepted, notes)
                : frontend::step<Watched<Plain>>(state_, env_, thread, now, accepted, notes);
  return full ? frontend::step<Full>(state_, env_, thread, now, accepted, notes)
              : frontend::step<Plain>(state_, env_, thread, now, accepted, notes);
}

bool TracedTurn::step_watched(unsigned thread, Cycle now, u8& accepted) {
  if (env_.watch == nullptr) return step_in_build(thread, now, accepted);
  env_.watch->before_step(state_, thread, now);
  const bool changed = step_in_build(thread, now, accepted);
  env_.watch->after_step(state_, thread);
  return changed;
}

bool TracedTurn::step_traced(unsigned thread, Cycle now, u8& accepted) {
  Frontend& frontend = state_.frontend[thread];
  const Agent agent = agent_of_thread(thread);
  const u64 executed = frontend.executed;
  const auto semaphores = state_.sync.semaphore;
  const std::size_t mark = port_->mark();
  const bool held = frontend.wait.kind != WaitKind::None && frontend.gate_full &&
                    blocks(frontend.wait, frontend.gate_word);

  const bool changed = step_watched(thread, now, accepted);

  const trace::Port::Stall& stall = port_->stall(kCores + thread);
  if (frontend.executed != executed) {
    const u32 word = frontend.gate_word;
    const Cycle busy = state_.busy_until[thread][static_cast<unsigned>(unit_of(word))];
    port_->executed(mark, thread, now,
                    {word, source_of(frontend.gate_origin), std::max(busy, now + 1)});
    port_->end_stall(mark, kCores + thread, now, word);
  } else if (frontend.gate_full) {
    // In its last cycle a wait whose condition is met still holds.
    const bool lifted = held && frontend.wait.kind == WaitKind::None;
    if (!lifted || !stall.open)
      tell_stall(thread, now, is_accepted(frontend.gate_word, accepted), lifted);
  }
  for (u32 i = 0; i < kSemaphores; ++i) {
    const Semaphore& after = state_.sync.semaphore[i];
    if (after.value == semaphores[i].value && after.max == semaphores[i].max) continue;
    port_->add(now, agent,
               trace::SemaphoreChanged{static_cast<u8>(i), static_cast<u8>(semaphores[i].value),
                                       static_cast<u8>(after.value), static_cast<u8>(after.max)});
  }
  return changed;
}

/// A wait begins, or goes on for another reason.
void TracedTurn::tell_stall(unsigned thread, Cycle now, bool taken, bool lifted) {
  const Frontend& frontend = state_.frontend[thread];
  trace::Port::Stall& stall = port_->stall(kCores + thread);
  const trace::Reason reason =
      lifted ? trace::Reason{trace::Wait::Latch} : reason_of_wait(state_, thread, now, taken);
  if (stall.open && (reason == stall.reason || reason.wait == trace::Wait::Latch)) return;
  const Cycle since = stall.open ? stall.begin : kNever;
  if (!stall.open) stall = {true, now};
  stall.reason = reason;
  Waits waits;
  if (lifted) {
    waits.waiting = true;
    waits.word = frontend.gate_word;
    waits.by = frontend.wait.word;
    waits.all.emplace_back();
    waits.all[0].kind = Awaited::Lifted;
  } else {
    waits = waits_of(state_, thread, now, taken);
  }
  port_->add(now, agent_of_thread(thread),
             trace::StallBegin{frontend.gate_word, reason, since, std::move(waits)});
}

}  // namespace bhemu::tensix::frontend
