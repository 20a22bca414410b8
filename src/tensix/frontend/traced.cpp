#include "tensix/frontend/traced.hpp"

#include "tensix/frontend/frontend.hpp"
#include "tensix/frontend/turn.hpp"
#include "tensix/sync/sync.hpp"

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
  Frontend& frontend = state_.frontend[thread];
  if (idle(frontend)) return false;
  const Agent agent = agent_of_thread(thread);
  const u64 executed = frontend.executed;
  const auto semaphores = state_.sync.semaphore;
  const std::size_t mark = port_.mark();

  StepNotes notes;
  const bool changed = env_.timing != nullptr
                           ? frontend::step<Full>(state_, env_, thread, now, accepted, notes)
                           : frontend::step<Plain>(state_, env_, thread, now, accepted, notes);

  trace::Port::Stall& stall = port_.stall(kCores + thread);
  if (frontend.executed != executed) {
    const u32 word = frontend.gate_word;
    port_.executed(mark, thread, now, {word, source_of(frontend.gate_origin)});
    port_.end_stall(mark, kCores + thread, now, word);
  } else if (frontend.gate_full && !stall.open) {
    stall = {true, now};
    ThreadWait wait = explain_wait(state_, thread, now);
    port_.add(now, agent,
              trace::StallBegin{frontend.gate_word, std::move(wait.what), std::move(wait.who)});
  }
  for (u32 i = 0; i < kSemaphores; ++i) {
    const Semaphore& after = state_.sync.semaphore[i];
    if (after.value == semaphores[i].value && after.max == semaphores[i].max) continue;
    port_.add(now, agent,
              trace::SemaphoreChanged{static_cast<u8>(i), static_cast<u8>(semaphores[i].value),
                                      static_cast<u8>(after.value), static_cast<u8>(after.max)});
  }
  return changed;
}

}  // namespace bhemu::tensix::frontend
