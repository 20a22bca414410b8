#include "tensix/frontend/turn.hpp"

#include <algorithm>

#include "tensix/data_paths.hpp"
#include "tensix/frontend/cycles.hpp"
#include "tensix/frontend/frontend.hpp"
#include "tensix/frontend/upcoming.hpp"
#include "tensix/sfpu/block.hpp"
#include "tensix/sfpu/schedule.hpp"

namespace bhemu::tensix::frontend {

void advance(State& state, const Environment& env, Cycle now) {
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    const Cycle quiet = state.quiet_from[thread];
    if (quiet > state.now && quiet <= now && env.wakeup != nullptr)
      env.wakeup->touch(thread_of(thread));
  }
  const Cycle mover = state.mover.busy_until;
  if (mover > state.now && mover <= now && env.wakeup != nullptr) env.wakeup->touch(Resource::Tdma);
  state.now = now;
}

bool FullTurn::cycle(Cycle now, u8& accepted) {
  bool changed = false;
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    if (idle(state_.frontend[thread])) continue;
    StepNotes notes;
    changed |= frontend::step<Full>(state_, env_, thread, now, accepted, notes);
  }
  return changed;
}

Cycle FullTurn::burst(Cycle now, Cycle) {
  if (windows_are_watched(env_)) advance(state_, env_, now);
  return now;
}

Turn::Turn(State& state, const Environment& env)
    : state_(state),
      env_(env),
      context_{Context{state, env, 0, 0, 0}, Context{state, env, 1, 0, 0},
               Context{state, env, 2, 0, 0}},
      products_(env.paths != nullptr && env.paths->products != nullptr ? *env.paths->products
                                                                       : own_products_) {
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    Frontend& frontend = state.frontend[thread];
    if (!idle(frontend)) active_[count_++] = {&frontend, &context_[thread], thread, 0};
  }
  asked_ = count_;
  if (env.paths == nullptr) return;
  env.paths->begin_turn();
  products_.begin_turn(env.paths->settings());
}

Turn::~Turn() {
  if (env_.paths != nullptr) env_.paths->end_turn();
}

bool Turn::execute_product(Context& context) {
  products_.belong_to(context.thread);
  const u32 word = context.word;
  if (products_.execute(context, &word, 1) == 0) return false;
  Frontend& frontend = state_.frontend[context.thread];
  frontend.gate_full = false;
  ++frontend.executed;
  context.busy(kDecoded[op::MVMUL::kOpcode].busy, 1);
  return true;
}

bool Turn::step_slowly(const Active& active, Cycle now, u8& accepted, StepNotes& notes) {
  const Frontend& frontend = *active.frontend;
  const u64 executed = frontend.executed;
  const bool changed = frontend::step<Plain>(state_, env_, active.thread, now, accepted, notes);
  // What stopped at its unit may have had an effect before.
  if ((frontend.executed != executed || frontend.stopped) &&
      (kDecoded[opcode_of(frontend.gate_word)].step & kStepKeepsProducts) == 0)
    products_.forget();
  return changed;
}

[[gnu::always_inline]] inline bool Turn::step(const Active& active, Cycle now, u8& accepted,
                                              StepNotes& notes) {
  Frontend& frontend = *active.frontend;
  // A STREAMWAIT loads a register each time that it is asked.
  if (frontend.stopped || state_.soft_reset != 0 || frontend.wait.kind == WaitKind::Streamwait)
    return step_slowly(active, now, accepted, notes);
  bool changed = false;
  if (!frontend.gate_full) changed = refill(state_, env_, frontend, active.thread, now);
  if (frontend.wait.kind != WaitKind::None &&
      hold<Plain>(state_, env_, active.thread, now, changed)) {
    if (frontend.wait.kind == WaitKind::Semwait) notes.released_by = kReleaseSemaphore;
    return changed;
  }
  if (!frontend.gate_full) return changed;
  const u32 word = frontend.gate_word;
  const Decoded& decoded = kDecoded[opcode_of(word)];
  const u32 knows = decoded.step;
  // Nothing happens twice: the gate is full, and a wait that has not ended is asked again without
  // an effect.
  if ((knows & kStepSlowly) != 0)
    return static_cast<bool>(changed | step_slowly(active, now, accepted, notes));
  const u32 second = (knows & kStepTwoUnits) != 0 ? bits(word, 23, 1) : 0;
  const u8 accept = static_cast<u8>(decoded.accept << second);
  if ((accepted & accept) != 0) return changed;
  if (env_.wakeup != nullptr) env_.wakeup->touch(thread_of(active.thread));
  Context& context = *active.context;
  context.word = word;
  context.now = now;
  context.origin = frontend.gate_origin;
  if ((knows & kStepIsProduct) != 0 && execute_product(context)) {
    accepted |= accept;
    notes.executed = released_units(decoded, word);
    return true;
  }
  const auto unit = static_cast<BusyUnit>(static_cast<u32>(decoded.busy) + second);
  const Issued issued = issue<Plain>(frontend, context, decoded, unit);
  if (issued == Issued::Stall) {
    if (frontend.wait.kind == WaitKind::None && (knows & kStepWaitsForSource) != 0)
      notes.released_by = kReleaseSource;
    return changed;
  }
  if ((knows & kStepKeepsProducts) == 0) products_.forget();
  notes.executed = released_units(decoded, word);
  if (issued == Issued::Done) accepted |= accept;
  return true;
}

void Turn::release(u32 executed) {
  held_ = 0;
  for (unsigned i = 0; i < count_; ++i) {
    u32& released_by = active_[i].released_by;
    if ((released_by & executed) != 0) {
      released_by = 0;
      ++asked_;
    }
    held_ |= released_by;
  }
}

[[gnu::always_inline]] inline bool Turn::cycle_inlined(Cycle now, u8& accepted) {
  bool changed = changed_;
  changed_ = false;
  for (unsigned i = 0; i < count_; ++i) {
    Active& active = active_[i];
    if (active.released_by != 0) continue;
    StepNotes notes;
    changed |= step(active, now, accepted, notes);
    if (notes.released_by != 0) {
      active.released_by = notes.released_by;
      held_ |= notes.released_by;
      --asked_;
    }
    if ((held_ & notes.executed) != 0) release(notes.executed);
  }
  return changed;
}

bool Turn::cycle(Cycle now, u8& accepted) {
  return cycle_inlined(now, accepted);
}

/// The turn as run_cycles sees it, without a call for each cycle.
struct Turn::Inlined {
  static constexpr bool kPlain = Turn::kPlain;
  Turn& turn;
  Cycle burst(Cycle now, Cycle until) { return turn.burst(now, until); }
  [[gnu::always_inline]] bool cycle(Cycle now, u8& accepted) {
    return turn.cycle_inlined(now, accepted);
  }
};

void Turn::run(Cycle from, Cycle until) {
  Inlined inlined{*this};
  run_cycles(state_, env_, inlined, from, until);
}

Cycle Turn::burst_alone(Cycle now, Cycle until) {
  const Active* alone = active_.data();
  while (alone->released_by != 0) ++alone;
  if (state_.soft_reset != 0 || sfpu::schedule_in_use(state_)) return now;
  const Frontend& frontend = *alone->frontend;
  if (frontend.stopped || frontend.wait.kind != WaitKind::None) return now;
  const NextWord next =
      frontend.gate_full ? NextWord{true, false, frontend.gate_word} : next_word(frontend, now);
  if (next.known && !stays_alone(next.word, held_)) return now;

  return execute_alone(alone->thread, next, held_, now, until);
}

bool Turn::stays_alone(u32 word, u32 held) {
  const Decoded& decoded = kDecoded[opcode_of(word)];
  return decoded.plain && (released_units(decoded, word) & held) == 0;
}

/// A sleeping agent waits for a resource that this thread alone changes while it executes plain
/// words. Windows of other threads need not be looked at: those that `advance` saw have ended by
/// `now`, and no others begin.
bool Turn::is_watched(unsigned thread, Cycle now) const {
  if (env_.wakeup == nullptr) return false;
  const u32 watched = env_.wakeup->watched;
  const u32 own = mask_of(thread_of(thread)) | mask_of(fifo_of(thread)) | mask_of(Resource::Dst);
  if ((watched & own) != 0) return true;
  if (!windows_are_watched(env_)) return false;
  for (unsigned other = 0; other < kThreads; ++other)
    if (other != thread && state_.quiet_from[other] > now) return true;
  return state_.mover.busy_until > now;
}

u32 Turn::execute_together(Context& context, const u32* word, u32 count) {
  if (opcode_of(*word) == op::PACR::kOpcode) return pack::pack_whole_rows(context, word, count);
  if (opcode_of(*word) != op::MVMUL::kOpcode) return 0;
  products_.belong_to(context.thread);
  return products_.execute(context, word, count);
}

Turn::Progress Turn::execute_known(Context& context, const NextWord& next, u32 held, Cycle& now,
                                   Cycle until) {
  const unsigned thread = context.thread;
  if (until - now < 2 || !next.several || !stays_alone(next.word, held) || is_watched(thread, now))
    return Progress::None;
  const u32 most = static_cast<u32>(std::min<Cycle>(until - now, kReplaySlots));
  Upcoming words(state_, env_, thread, now, most);
  if (words.count() < 2) return Progress::None;

  const Frontend& frontend = state_.frontend[thread];
  context.origin = words.origin();
  sfpu::Block block(context);
  u32 done = 0;
  u32 in_block = 0;  // words up to the last one in the block
  bool stuck = false;
  for (; done < words.count(); ++done) {
    const u32 word = words[done];
    const Decoded& decoded = kDecoded[opcode_of(word)];
    if (decoded.unit == Unit::Sfpu && block.add(word)) {
      const u32 ahead = done + 1;
      done += block.add_known(words.from(ahead), words.count() - ahead);
      in_block = done + 1;
      continue;
    }
    if (!stays_alone(word, held)) break;
    context.now = now + done;
    context.word = word;
    block.finish();
    const u32 together = execute_together(context, words.from(done), words.count() - done);
    if (together != 0) {
      done += together - 1;
      context.busy(decoded.busy, 1);
      continue;
    }
    stuck = decoded.execute(context) == Completion::Stall || frontend.stopped;
    if (stuck) break;
    if (decoded.unit == Unit::Sfpu) block.forget();
    if (decoded.unit == Unit::Fpu) products_.forget();
    context.busy(decoded.busy, 1);
  }
  block.finish();
  if (in_block != 0) {
    context.now = now + in_block - 1;
    context.busy(BusyUnit::Sfpu, 1);
  }
  if (done + static_cast<u32>(stuck) == 0) return Progress::None;
  words.take(done + static_cast<u32>(stuck), stuck);
  state_.frontend[thread].executed += done;
  now += done;
  changed_ = stuck;
  return stuck ? Progress::Stuck : Progress::Some;
}

Cycle Turn::execute_alone(unsigned thread, NextWord next, u32 held, Cycle now, Cycle until) {
  Frontend& frontend = state_.frontend[thread];
  Context context{state_, env_, thread, now, 0};
  products_.belong_to(thread);
  const Cycle begin = now;
  while (now < until) {
    if (now != begin && windows_are_watched(env_)) advance(state_, env_, now);
    if (!frontend.gate_full) {
      if (now != begin) next = next_word(frontend, now);
      const Progress progress = execute_known(context, next, held, now, until);
      if (progress == Progress::Some) continue;
      if (progress == Progress::Stuck) return now;
      changed_ = refill(state_, env_, frontend, thread, now);
    }
    if (frontend.gate_full) {
      const u32 word = frontend.gate_word;
      if (!stays_alone(word, held)) return now;
      const Decoded& decoded = kDecoded[opcode_of(word)];
      if (env_.wakeup != nullptr) env_.wakeup->touch(thread_of(thread));
      context.now = now;
      context.word = word;
      context.origin = frontend.gate_origin;
      const Issued issued = issue<Plain>(frontend, context, decoded, decoded.busy);
      if (decoded.unit == Unit::Fpu) products_.forget();
      // The rest of this cycle is for `cycle`, which will find the same.
      changed_ |= issued == Issued::Stopped;
      if (issued != Issued::Done) return now;
    } else if (!changed_) {
      return now;
    }
    ++now;
    changed_ = false;
  }
  return now;
}

}  // namespace bhemu::tensix::frontend
