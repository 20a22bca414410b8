#include "tensix/frontend/gate.hpp"

#include <bit>

#include "base/delays.hpp"
#include "tensix/conditions.hpp"
#include "tensix/frontend/frontend.hpp"
#include "tensix/sfpu/schedule.hpp"

namespace bhemu::tensix::frontend {
namespace {

constexpr u16 kAllBlocks = 0x1FF;

bool semaphores_hold(const State& state, const LatchedWait& wait) {
  for (u32 left = wait.semaphores; left != 0; left &= left - 1) {
    const Semaphore& semaphore = state.sync.semaphore[std::countr_zero(left)];
    if (bit(wait.condition, 0) && semaphore.value == 0) return true;
    if (bit(wait.condition, 1) && semaphore.value >= semaphore.max) return true;
  }
  return false;
}

/// The scalar unit works on one instruction at a time (ScalarUnit.md); one that waits keeps it.
bool scalar_unit_taken(const State& state, const Decoded& decoded, unsigned thread) {
  return decoded.unit == Unit::Thcon && state.thcon.occupied_by != 0 &&
         state.thcon.occupied_by != thread + 1;
}

}  // namespace

bool keep_waiting(const State& state, const Environment& env, unsigned thread, Cycle now) {
  const LatchedWait& wait = state.frontend[thread].wait;
  switch (wait.kind) {
    case WaitKind::None:
      return false;
    case WaitKind::Stallwait:
      return unmet_conditions(state, thread, wait.condition, now) != 0;
    case WaitKind::Semwait:
      return semaphores_hold(state, wait);
    case WaitKind::Streamwait: {
      const u32 index = bit(wait.condition, 0) ? kStreamCurrentPhase : kStreamMessagesReceived;
      const u32 address =
          stream_register_address(state.thread_config(thread), wait.stream_select, index);
      u32 value = 0;
      env.registers->load_register(address, value, {agent_of_thread(thread), wait.word, now});
      return value < wait.target;
    }
  }
  return false;
}

bool blocks(const LatchedWait& wait, u32 word) {
  const u16 by = kDecoded[opcode_of(word)].blocked_by;
  // NOP only counts as blocked when every bit of the mask is set.
  if (opcode_of(word) == op::NOP::kOpcode) return wait.block == kAllBlocks;
  return (by & wait.block) != 0;
}

bool held_by_reset(const State& state, u32 word) {
  const u32 reset = state.soft_reset;
  constexpr u32 kUnpackers = 0x83;
  constexpr u32 kGlue = 1u << 8;
  switch (kDecoded[opcode_of(word)].unit) {
    case Unit::Unpack:
      return (reset & (kUnpackers | kGlue)) != 0;
    case Unit::Pack:
      return (reset & ((1u << 2) | kGlue)) != 0;
    case Unit::Xmov:
      return (reset & kGlue) != 0;
    case Unit::Fpu:
    case Unit::Sfpu:
      return bit(reset, 10);
    case Unit::Thcon: {
      const u8 opcode = opcode_of(word);
      if (bit(reset, 8)) return true;
      return bit(reset, 9) && opcode != op::DMANOP::kOpcode && opcode != op::SETDMAREG::kOpcode;
    }
    default:
      return false;
  }
}

template <class Build>
bool hold(State& state, const Environment& env, unsigned thread, Cycle now, bool& changed) {
  Frontend& frontend = state.frontend[thread];
  // The mask is lifted one cycle after the condition is met: whoever arrives behind the wait
  // instruction is subject to it for at least a cycle.
  const bool blocked = frontend.gate_full && blocks(frontend.wait, frontend.gate_word);
  if (!keep_waiting(state, env, thread, now)) {
    if constexpr (Build::kWatched) env.watch->lifts(frontend, thread, now);
    frontend.wait = LatchedWait{};
    // A core may wait for the thread to be done.
    if (env.wakeup != nullptr) env.wakeup->touch(thread_of(thread));
    changed = true;
  }
  return blocked;
}

template bool hold<Plain>(State&, const Environment&, unsigned, Cycle, bool&);

namespace {

/// Bubbles in front of an instruction: where a core pushes words there can be any; what a MOP or a
/// replay brings to the matrix and the vector unit comes without.
void draw_delay(State& state, const Environment& env, unsigned thread, const Decoded& decoded,
                Cycle now) {
  const Frontend& frontend = state.frontend[thread];
  u64& drawn = state.late.gate_drawn[thread];
  if (drawn == frontend.executed + 1) return;
  drawn = frontend.executed + 1;
  constexpr u32 kOnePipeline = units({Unit::Fpu, Unit::Sfpu});
  const bool expanded =
      frontend.gate_origin == Origin::Mop || frontend.gate_origin == Origin::Replay;
  if (expanded && (decoded.unit_mask() & kOnePipeline) != 0) return;
  const u32 cycles =
      env.delays->draw(DelayKind::Gate, agent_of_thread(thread), frontend.gate_word, now);
  if (cycles != 0) state.held_until[thread] = std::max(state.held_until[thread], now + cycles);
}

}  // namespace

template <class Build>
bool step(State& state, const Environment& env, unsigned thread, Cycle now, u8& accepted,
          StepNotes& notes) {
  Frontend& frontend = state.frontend[thread];
  if (frontend.stopped) return false;
  bool changed = false;
  if (!frontend.gate_full) changed = refill(state, env, frontend, thread, now);
  if (frontend.wait.kind != WaitKind::None && hold<Build>(state, env, thread, now, changed)) {
    // A refill cannot happen again: the gate is full.
    if (frontend.wait.kind == WaitKind::Semwait) notes.released_by = kReleaseSemaphore;
    return changed;
  }
  if (!frontend.gate_full) return changed;

  const u32 word = frontend.gate_word;
  const Decoded& decoded = kDecoded[opcode_of(word)];
  const auto [accept, unit] = claim_of(decoded, word);
  if ((accepted & accept) != 0 || scalar_unit_taken(state, decoded, thread)) return changed;
  if constexpr (Build::kFull) {
    if (env.delays != nullptr) [[unlikely]]
      draw_delay(state, env, thread, decoded, now);
    if (is_taken(state, decoded, unit, thread, now)) return changed;
  }
  if (state.soft_reset != 0 && held_by_reset(state, word)) return changed;

  if (env.wakeup != nullptr) env.wakeup->touch(thread_of(thread));
  Context context{state, env, thread, now, word, nullptr, frontend.gate_origin};
  if (decoded.unit == Unit::Sfpu && sfpu::schedule_in_use(state)) [[unlikely]] {
    sfpu::before_issue(state, env, now);
    if (frontend.stopped) return true;
  }
  const bool lost =
      decoded.unit == Unit::Sfpu && state.sfpu.schedule.taken != 0 && sfpu::is_discarded(context);
  const Issued issued = issue<Build>(frontend, context, decoded, unit, lost);
  if (issued == Issued::Stall) {
    // A wait that does not block this instruction can still end by itself.
    if (frontend.wait.kind == WaitKind::None && (decoded.step & kStepWaitsForSource) != 0)
      notes.released_by = kReleaseSource;
    return changed;
  }
  notes.executed = released_units(decoded, word);
  if (issued == Issued::Done) accepted |= accept;
  return true;
}

template bool step<Plain>(State&, const Environment&, unsigned, Cycle, u8&, StepNotes&);
template bool step<Full>(State&, const Environment&, unsigned, Cycle, u8&, StepNotes&);
template bool step<Watched<Plain>>(State&, const Environment&, unsigned, Cycle, u8&, StepNotes&);
template bool step<Watched<Full>>(State&, const Environment&, unsigned, Cycle, u8&, StepNotes&);

}  // namespace bhemu::tensix::frontend
