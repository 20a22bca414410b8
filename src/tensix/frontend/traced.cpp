#include "tensix/frontend/traced.hpp"

#include "tensix/frontend/frontend.hpp"
#include "tensix/frontend/mop.hpp"
#include "tensix/frontend/turn.hpp"
#include "tensix/sync/sync.hpp"

namespace bhemu::tensix::frontend {
namespace {

using trace::Source;

bool ready(const Ring<QueuedWord, kFifoDepth>& fifo, Cycle now) {
  return !fifo.empty() && fifo.front().pushed < now;
}

/// Where the next word for the wait gate will come from: what next_incoming does, on a copy.
Source next_source(Frontend frontend, Cycle now) {
  if (frontend.replay_mode == ReplayMode::Play) return Source::Replay;
  u32 word = 0;
  Source source = Source::Queue;
  bool found = false;
  if (!frontend.behind_mop.empty()) {
    word = frontend.behind_mop.front().word;
    source = Source::Mop;
    found = true;
  } else if (ready(frontend.brisc_fifo, now)) {
    word = frontend.brisc_fifo.front().word;
    source = Source::Brisc;
    found = true;
  } else if (frontend.mop.phase != MopPhase::Idle && next_of_mop(frontend, word)) {
    source = Source::Mop;
    found = true;
  }
  if (!found && ready(frontend.fifo, now)) {
    word = frontend.fifo.front().word;
    if (opcode_of(word) == op::MOP::kOpcode) {
      start_mop(frontend, word);
      source = Source::Mop;
      next_of_mop(frontend, word);
    }
  }
  const bool replays = frontend.replay_mode == ReplayMode::Pass &&
                       opcode_of(word) == op::REPLAY::kOpcode && op::REPLAY{word}.load_mode() == 0;
  return replays ? Source::Replay : source;
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
  const bool was_full = frontend.gate_full;
  const u64 executed = frontend.executed;
  const Source source = was_full ? port_.source(thread) : next_source(frontend, now);
  const auto semaphores = state_.sync.semaphore;
  const std::size_t mark = port_.mark();

  StepNotes notes;
  const bool changed = frontend::step(state_, env_, thread, now, accepted, notes);

  port_.source(thread) = source;
  trace::Port::Stall& stall = port_.stall(kCores + thread);
  if (frontend.executed != executed) {
    const u32 word = frontend.gate_word;
    port_.executed(mark, thread, now, {word, source});
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
