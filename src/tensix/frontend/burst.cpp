#include "tensix/frontend/burst.hpp"

#include "tensix/frontend/frontend.hpp"
#include "tensix/sfpu/schedule.hpp"

namespace bhemu::tensix::frontend {
namespace {

/// The word that the gate gets in this cycle, if it comes from a playback or straight from the
/// TRISC's queue. False: neither, nothing was done.
bool next_word(Frontend& frontend, const Environment& env, unsigned thread, Cycle now, u32& word) {
  if (frontend.replay_mode == ReplayMode::Play) {
    word = frontend.replay[frontend.replay_index];
    if (!kDecoded[opcode_of(word)].plain) return false;
    play(frontend);
    return true;
  }
  if (frontend.replay_mode != ReplayMode::Pass || frontend.mop.phase != MopPhase::Idle ||
      !frontend.brisc_fifo.empty() || frontend.fifo.empty())
    return false;
  const QueuedWord& queued = frontend.fifo.front();
  word = queued.word;
  if (queued.pushed >= now || !kDecoded[opcode_of(word)].plain) return false;
  if (env.wakeup != nullptr) env.wakeup->touch(fifo_of(thread));
  frontend.fifo.drop();
  return true;
}

}  // namespace

Cycle burst(State& state, const Environment& env, unsigned thread, Cycle now, Cycle until) {
  Frontend& frontend = state.frontend[thread];
  if (frontend.gate_full || frontend.stopped || frontend.wait.kind != WaitKind::None ||
      state.soft_reset != 0 || sfpu::schedule_in_use(state))
    return now;
  Context context{state, env, thread, now, 0};
  for (; now < until; ++now) {
    u32 word = 0;
    if (!next_word(frontend, env, thread, now, word)) break;
    if (env.wakeup != nullptr) env.wakeup->touch(thread_of(thread));
    frontend.gate_word = word;
    context.now = now;
    context.word = word;
    const Decoded& decoded = kDecoded[opcode_of(word)];
    if (decoded.execute(context) == Completion::Stall || frontend.stopped) {
      frontend.gate_full = true;
      return now + 1;
    }
    ++frontend.executed;
    context.busy(decoded.busy, 1);
  }
  return now;
}

}  // namespace bhemu::tensix::frontend
