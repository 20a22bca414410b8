// Turns from a list: known_turn.hpp.
#include <algorithm>

#include "tensix/data_paths.hpp"
#include "tensix/frontend/cycles.hpp"
#include "tensix/frontend/turn.hpp"
#include "tensix/sfpu/block.hpp"

namespace bhemu::tensix::frontend {

Issued Turn::issue_one(Context& context, const Decoded& decoded, BusyUnit unit) {
  if ((decoded.step & kStepIsProduct) != 0 && execute_product(context)) return Issued::Done;
  const Issued issued = issue<Plain>(state_.frontend[context.thread], context, decoded, unit);
  // What stopped at its unit may have had an effect before.
  if (issued != Issued::Stall && (decoded.step & kStepKeepsProducts) == 0) products_.forget();
  return issued;
}

bool Turn::step_by_itself(unsigned thread, Cycle now, u8& accepted) {
  StepNotes notes;
  return step_slowly({&state_.frontend[thread], &context_[thread], thread, 0}, now, accepted,
                     notes);
}

bool Turn::execute_one(Context& context, u32 word) {
  context.word = word;
  const Decoded& decoded = kDecoded[opcode_of(word)];
  const bool done = decoded.execute(context) == Completion::Done;
  if ((decoded.step & kStepKeepsProducts) == 0) products_.forget();
  return done && !state_.frontend[context.thread].stopped;
}

// Both leave the context in the cycle of the last instruction that was executed, or of the one that
// was not.

bool Turn::execute_several(Context& context, const u32* word, u32 count) {
  for (u32 done = 0;;) {
    context.word = word[done];
    const u32 together = execute_together(context, word + done, count - done);
    if (together == 0 && !execute_one(context, word[done])) return false;
    done += std::max(together, 1u);
    if (done == count) return true;
    ++context.now;
  }
}

bool Turn::execute_vectors(Context& context, const u32* word, u32 count) {
  sfpu::Block block(context);
  const Cycle begin = context.now;
  for (u32 i = 0; i < count; ++i) {
    if (block.add(word[i])) continue;
    context.now = begin + i;
    block.finish();
    if (!execute_one(context, word[i])) return false;
    block.forget();
  }
  block.finish();
  context.now = begin + count - 1;
  return true;
}

[[gnu::always_inline]] inline Turn::Left Turn::execute_group(const KnownTurn& known,
                                                             const KnownTurn::Group& group,
                                                             Cycle from) {
  Context& context = context_[group.thread];
  context.now = from + group.cycle;
  context.origin = group.origin;
  const u32* const word = &known.words[group.first];
  bool done;
  if (group.kind == KnownTurn::Kind::One) {
    context.word = *word;
    done = group.execute(context) == Completion::Done;
    if (group.forgets) products_.forget();
    done = done && !state_.frontend[group.thread].stopped;
  } else if (group.kind == KnownTurn::Kind::Several) {
    done = execute_several(context, word, group.count);
  } else {
    done = execute_vectors(context, word, group.count);
  }
  if (!done) return Left::NotAtAll;
  const bool as_noted =
      group.bank_check == 0 || bank_control(state_.fpu) == known.banks[group.bank_check];
  return as_noted ? Left::AsNoted : Left::Otherwise;
}

void Turn::leave_frontends(const KnownTurn& known, Cycle from) {
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    const KnownTurn::After& after = known.after[thread];
    if (!after.changed) continue;
    Frontend& frontend = state_.frontend[thread];
    frontend.fifo.drop(after.taken);
    frontend.behind_mop.drop(after.taken_behind);
    frontend.gate_full = after.gate_full;
    frontend.gate_from_brisc = after.gate_from_brisc;
    frontend.gate_origin = after.gate_origin;
    frontend.gate_word = after.gate_word;
    frontend.replay_mode = after.replay_mode;
    frontend.replay_index = after.replay_index;
    frontend.replay_left = after.replay_left;
    frontend.mask_hi = after.mask_hi;
    frontend.executed += after.executed;
    frontend.mop = after.mop;
    frontend.wait = after.wait;
    if (after.replay != nullptr) frontend.replay = *after.replay;
    Cycle& quiet = state_.quiet_from[thread];
    for (unsigned unit = 0; unit < kBusyUnits; ++unit) {
      if (after.busy[unit] == 0) continue;
      const Cycle end = from + after.busy[unit];
      state_.busy_until[thread][unit] = end;
      quiet = std::max(quiet, end);
    }
  }
}

// Whoever waits for frontends is let go first, as in the cycle in which they begin to change: the
// turn's end is when a woken core goes on in either case, and until then it sees what has stood
// there since the turn began.
bool Turn::run_known(const KnownTurn& known, Cycle from, Cycle until) {
  if (Wakeup* const wakeup = env_.wakeup;
      wakeup != nullptr && (wakeup->watched & known.touched) != 0)
    for (unsigned thread = 0; thread < kThreads; ++thread)
      for (const Resource resource : {fifo_of(thread), thread_of(thread)})
        if ((known.touched & mask_of(resource)) != 0) wakeup->touch(resource);
  for (const KnownTurn::Group& group : known.groups) {
    const Left left = execute_group(known, group, from);
    if (left != Left::AsNoted) [[unlikely]] {
      depart(known, {group.thread, context_[group.thread].now, left == Left::Otherwise}, from,
             until);
      return false;
    }
  }
  leave_frontends(known, from);
  if (known.asleep) state_.asleep = true;
  advance(state_, env_, until);
  return true;
}

u8 Turn::repeat(const KnownTurn::Event& event, const Environment& quietly, Cycle now) {
  Frontend& frontend = state_.frontend[event.thread];
  if (event.kind == KnownTurn::Event::Kind::Refill) {
    refill(state_, quietly, frontend, event.thread, now);
    return 0;
  }
  if (event.kind == KnownTurn::Event::Kind::Lift) {
    frontend.wait = LatchedWait{};
    return 0;
  }
  const Decoded& decoded = kDecoded[opcode_of(event.word)];
  Context context{state_, quietly, event.thread, now, event.word};
  // Of the sync unit's, those that latch a wait were not executed from the list.
  if (opcode_of(event.word) == op::STALLWAIT::kOpcode ||
      opcode_of(event.word) == op::SEMWAIT::kOpcode)
    decoded.execute(context);
  const Claim claim = claim_of(decoded, event.word);
  context.busy(claim.unit, 1);
  frontend.gate_full = false;
  ++frontend.executed;
  return claim.accept;
}

[[gnu::cold]] void Turn::depart(const KnownTurn& known, const Departure& departure, Cycle from,
                                Cycle until) {
  Environment quietly = env_;
  quietly.wakeup = nullptr;
  u8 accepted = 0;
  for (const KnownTurn::Event& event : known.events) {
    const Cycle now = from + event.cycle;
    const bool issues = event.kind == KnownTurn::Event::Kind::Issue;
    const bool is_last = issues && event.thread == departure.thread && now == departure.now;
    if (is_last && !departure.issued) break;
    const u8 taken = repeat(event, quietly, now);
    if (now == departure.now) accepted |= taken;
    if (is_last) break;
  }
  // From here on everybody is asked, beginning with the threads after this one.
  held_ = 0;
  asked_ = count_;
  for (unsigned i = 0; i < count_; ++i) active_[i].released_by = 0;
  for (unsigned i = 0; i < count_; ++i) {
    if (active_[i].thread > departure.thread)
      step_by_itself(active_[i].thread, departure.now, accepted);
  }
  changed_ = false;
  run(departure.now + 1, until);
}

}  // namespace bhemu::tensix::frontend
