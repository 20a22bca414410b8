// The frontend of one thread up to the wait gate: MOP expander, BRISC's entry, replay expander.
//
// Documents: tt-isa-documentation MOPExpander.md, REPLAY.md (shared text),
// BlackholeA0/TensixTile/BabyRISCV/PushTensixInstruction.md; boopdotpng/tenstorrent-docs
// mop-and-replay-expanders, tensix-coprocessor-pipeline "BRISC Coprocessor Access".
//
// Chosen where the documents leave it open:
// - The inner count of template 1 has 10 bits. The texts say 7, but silicon runs an inner count of
//   256 exactly and software uses 600, while 17,870 is truncated. The outer count has 7 bits.
// - A word of BRISC goes before the MOP expander's next word, also in the middle of an expansion.
// Not modelled: the cycle that the MOP expander loses after an expansion (fast timing).
#pragma once

#include "tensix/context.hpp"

namespace bhemu::tensix::frontend {

inline constexpr u32 kOuterCountMask = 0x7F;
inline constexpr u32 kInnerCountMask = 0x3FF;
/// The words of the MOP configuration with which an iteration of template 1 begins and ends, and
/// which it repeats.
inline constexpr u32 kMopStartOp = 2;
inline constexpr u32 kMopEndOp0 = 3;
inline constexpr u32 kMopLoopOp = 5;
/// In the last inner iteration these words take its place: in the last outer loop, in the others.
inline constexpr u32 kMopLoop0Last = 7;
inline constexpr u32 kMopLoop1Last = 8;

/// Of the words behind the MOP expander, those that end one of the TRISC's.
u32 ended_behind_mop(const Frontend& frontend);
/// How many words that its TRISC has pushed have not passed the wait gate. Auto TTSync tracks each
/// up to there, so FIFOs behind the first one give room only to what expanders make of a word.
inline u32 outstanding(const Frontend& frontend) {
  const bool at_gate = frontend.gate_full || frontend.replay_mode == ReplayMode::Play;
  const bool one_behind =
      frontend.mop.phase != MopPhase::Idle || (at_gate && !frontend.gate_from_brisc);
  const u32 count = frontend.fifo.size() + static_cast<u32>(one_behind);
  return frontend.behind_mop.empty() ? count : count + ended_behind_mop(frontend);
}
/// With more than 28 words under way nothing is taken until there are 28 again; the 32 places can
/// only be filled by a group of `.ttinsn` that is pushed at once (PushTensixInstruction.md).
inline constexpr u32 kPushThreshold = 28;
/// With so many under way there is room for one more. `fused`: it belongs to a group which has been
/// let in.
inline bool has_room(u32 under_way, bool fused) {
  return under_way <= (fused ? kFifoDepth - 1 : kPushThreshold);
}
inline bool may_push(const Frontend& frontend) {
  return has_room(outstanding(frontend), false);
}
inline bool may_push_fused(const Frontend& frontend) {
  return has_room(outstanding(frontend), true);
}

/// The next word of a playback.
inline u32 play(Frontend& frontend) {
  const u32 word = frontend.replay[frontend.replay_index];
  frontend.replay_index = (frontend.replay_index + 1) % kReplaySlots;
  if (--frontend.replay_left == 0) frontend.replay_mode = ReplayMode::Pass;
  return word;
}

void declare_resources(Frontend& frontend, u32 word);  // ttsync.hpp

/// RESOURCEDECL ends here: Auto TTSync takes it.
inline void fill_gate(Frontend& frontend, u32 word, Origin origin) {
  if (opcode_of(word) == op::RESOURCEDECL::kOpcode) return declare_resources(frontend, word);
  frontend.gate_word = word;
  frontend.gate_origin = origin;
  frontend.gate_full = true;
}

/// To the MOP expander only plain NOP counts, not DMANOP or SFPNOP.
inline bool is_nop(u32 word) {
  return opcode_of(word) == op::NOP::kOpcode;
}

/// Of a template-1 MOP: the word of the inner iteration that it has come to.
inline u32 loop_word(const Frontend& frontend, const MopExpansion& run) {
  if (run.inner + 1 != run.inner_count)
    return frontend.mop_config[kMopLoopOp] ^ (run.inner % 2 != 0 ? run.flip : 0);
  return frontend.mop_config[run.outer + 1u == run.outer_count ? kMopLoop0Last : kMopLoop1Last];
}

/// How many words of inner loops (template 1) come from `run` on, one a cycle: what is left of an
/// iteration, and all others if none begins or ends with a word of its own.
inline u32 loop_words_left(const Frontend& frontend, const MopExpansion& run) {
  const bool starts = !is_nop(frontend.mop_config[kMopStartOp]);
  if (run.phase == MopPhase::Start ? starts : run.phase != MopPhase::Loop) return 0;
  const u32 left = run.inner_count - run.inner;
  if (starts || !is_nop(frontend.mop_config[kMopEndOp0])) return left;
  return left + (run.outer_count - 1 - run.outer) * run.inner_count;
}

/// The next word of a template-1 MOP within its inner loop. False: it is at another step, or the
/// word is for an expander behind this one; `next_of_mop` knows what to do in every case.
inline bool take_loop_word(Frontend& frontend, u32& word) {
  MopExpansion& run = frontend.mop;
  if (run.phase != MopPhase::Loop || run.inner >= run.inner_count) return false;
  word = loop_word(frontend, run);
  if (kDecoded[opcode_of(word)].unit == Unit::Frontend) return false;
  ++run.inner;
  frontend.gate_from_brisc = false;
  return true;
}

/// How many words REPLAY records or plays; no length means the whole buffer.
inline u32 replayed_words(op::REPLAY insn) {
  return insn.len() == 0 ? kReplaySlots : insn.len();
}
/// From the next word on the replay expander records or plays, as the instruction says.
void start_replay(Frontend& frontend, op::REPLAY insn);

/// The same with everything but a playback.
bool refill_from_queues(State& state, const Environment& env, unsigned thread, Cycle now);

/// Lets the expanders work for one cycle; may put one word into the (empty) gate.
/// True when any state changed.
inline bool refill(State& state, const Environment& env, Frontend& frontend, unsigned thread,
                   Cycle now) {
  if (frontend.replay_mode == ReplayMode::Play) {
    // With the last word there is room for two more behind the MOP expander (mop_idle).
    if (frontend.replay_left == 1 && env.wakeup != nullptr) env.wakeup->touch(thread_of(thread));
    fill_gate(frontend, play(frontend), Origin::Replay);
    return true;
  }
  if (frontend.replay_mode == ReplayMode::Pass && frontend.brisc_fifo.empty() &&
      frontend.behind_mop.empty()) {
    if (frontend.mop.phase != MopPhase::Idle) {
      u32 word;
      if (!take_loop_word(frontend, word)) return refill_from_queues(state, env, thread, now);
      if (env.wakeup != nullptr) env.wakeup->touch(thread_of(thread));
      frontend.gate_word = word;
      frontend.gate_origin = Origin::Mop;
      frontend.gate_full = true;
      return true;
    }
    // The usual case of a queue: a word that is for none of the expanders.
    if (frontend.fifo.empty()) return false;
    const QueuedWord& queued = frontend.fifo.front();
    if (queued.pushed >= now) return false;
    const u32 word = queued.word;
    if (kDecoded[opcode_of(word)].unit != Unit::Frontend) {
      if (env.wakeup != nullptr) {
        env.wakeup->touch(fifo_of(thread));
        env.wakeup->touch(thread_of(thread));
      }
      frontend.fifo.drop();
      frontend.gate_from_brisc = false;
      frontend.gate_word = word;
      frontend.gate_origin = Origin::Queue;
      frontend.gate_full = true;
      return true;
    }
  }
  return refill_from_queues(state, env, thread, now);
}

/// A queue holds a word that can be taken only from a later cycle on: that cycle, or kNever.
Cycle next_available(const Frontend& frontend, Cycle now);

/// Nothing is queued, being expanded, or at the gate.
bool empty(const Frontend& frontend);
/// What MOPExpanderDoneCheck waits for: no MOP is left in front of the expander or in it. Since the
/// expander runs ahead of the gate, that is so as soon as what is left fits behind it.
/// A MOP that is still on its way in cycle `now` (--timing chaos) is left.
bool mop_idle(const Frontend& frontend, Cycle now);
/// Lets the MOP expander fill the places behind it. To be called before its configuration changes.
void run_ahead(State& state, const Environment& env, unsigned thread, Cycle now);

/// Bits 0..10 of tt_cfg_qstatus (CSRs.md): instruction types queued in front of the gate.
u32 queued_types(const Frontend& frontend);
/// The CSR's bits for one instruction word.
u32 types_of(u32 word);

}  // namespace bhemu::tensix::frontend
