#include "tensix/frontend/frontend.hpp"

#include <fmt/format.h>

#include "base/delays.hpp"
#include "tensix/frontend/mop.hpp"

namespace bhemu::tensix::frontend {
namespace {

void touch(const Environment& env, Resource resource) {
  if (env.wakeup != nullptr) env.wakeup->touch(resource);
}

/// Removing a word frees a place and changes the queue status.
template <RingPlaces Places>
u32 pop(const Environment& env, unsigned thread, Ring<QueuedWord, kFifoDepth, Places>& fifo) {
  touch(env, fifo_of(thread));
  touch(env, thread_of(thread));
  return fifo.pop().word;
}

template <RingPlaces Places>
bool ready(const Ring<QueuedWord, kFifoDepth, Places>& fifo, Cycle now) {
  return !fifo.empty() && fifo.front().pushed < now;
}

/// Silicon has one place where the two meet; of two words pushed in the same cycle it drops the
/// TRISC's (tensix-coprocessor-pipeline, "BRISC Coprocessor Access"). We keep it and say so.
void check_collision(State& state, const Environment& env, unsigned thread, Cycle now) {
  const Frontend& frontend = state.frontend[thread];
  if (frontend.fifo.empty()) return;
  const QueuedWord& mine = frontend.fifo.front();
  const QueuedWord& other = frontend.brisc_fifo.front();
  if (mine.pushed != other.pushed) return;
  Context context{state, env, thread, now, mine.word};
  context.raise(Rule::TensixPushCollision,
                fmt::format("BRISC and TRISC{} both pushed to thread {} in cycle {}: silicon "
                            "discards the TRISC's word {:#010x}",
                            thread, thread, mine.pushed, mine.word));
}

struct Incoming {
  u32 word = 0;
  Origin origin = Origin::Queue;
};

/// What the stage behind the MOP expander is offered in this cycle. False: nothing.
/// `changed` is set when the expander consumed something.
bool next_incoming(State& state, const Environment& env, unsigned thread, Cycle now,
                   Incoming& incoming, bool& changed) {
  Frontend& frontend = state.frontend[thread];
  u32& word = incoming.word;
  if (!frontend.behind_mop.empty()) {
    touch(env, thread_of(thread));
    changed = true;
    frontend.gate_from_brisc = false;
    word = frontend.behind_mop.pop().word;
    incoming.origin = Origin::Mop;
    return true;
  }
  if (ready(frontend.brisc_fifo, now)) {
    check_collision(state, env, thread, now);
    changed = true;
    frontend.gate_from_brisc = true;
    word = pop(env, thread, frontend.brisc_fifo);
    incoming.origin = Origin::Brisc;
    return true;
  }
  frontend.gate_from_brisc = false;
  if (frontend.mop.phase != MopPhase::Idle) {
    changed = true;
    touch(env, thread_of(thread));
    incoming.origin = Origin::Mop;
    if (next_of_mop(frontend, word)) return true;
  }
  incoming.origin = Origin::Queue;
  if (!ready(frontend.fifo, now)) return false;
  changed = true;
  word = pop(env, thread, frontend.fifo);
  switch (opcode_of(word)) {
    case op::MOP_CFG::kOpcode:
      frontend.mask_hi = op::MOP_CFG{word}.zmask_hi16();
      return false;
    case op::MOP::kOpcode:
      start_mop(frontend, word);
      incoming.origin = Origin::Mop;
      return next_of_mop(frontend, word);
    default:
      return true;
  }
}

void check_length(State& state, const Environment& env, unsigned thread, Cycle now,
                  op::REPLAY insn) {
  if (insn.len() <= kReplaySlots) return;
  Context context{state, env, thread, now, insn.word};
  context.raise(Rule::TensixReplayLength,
                fmt::format("REPLAY of {} instructions, of {} slots", insn.len(), kReplaySlots));
}

void record(Frontend& frontend, const Incoming& incoming) {
  const u32 word = incoming.word;
  frontend.replay[frontend.replay_index] = word;
  frontend.replay_index = (frontend.replay_index + 1) % kReplaySlots;
  if (frontend.replay_mode == ReplayMode::RecordAndExecute)
    fill_gate(frontend, word, incoming.origin);
  if (--frontend.replay_left == 0) frontend.replay_mode = ReplayMode::Pass;
}

}  // namespace

u32 ended_behind_mop(const Frontend& frontend) {
  u32 count = 0;
  for (u32 i = 0; i < frontend.behind_mop.size(); ++i) count += frontend.behind_mop[i].ends;
  return count;
}

void start_replay(Frontend& frontend, op::REPLAY insn) {
  frontend.replay_index = static_cast<u8>(insn.start_idx());
  frontend.replay_left = static_cast<u8>(replayed_words(insn));
  if (insn.load_mode() == 0) {
    frontend.replay_mode = ReplayMode::Play;
  } else {
    frontend.replay_mode =
        insn.execute_while_loading() != 0 ? ReplayMode::RecordAndExecute : ReplayMode::Record;
  }
}

bool refill_from_queues(State& state, const Environment& env, unsigned thread, Cycle now) {
  Frontend& frontend = state.frontend[thread];
  Incoming incoming;
  bool changed = false;
  if (!next_incoming(state, env, thread, now, incoming, changed)) return changed;
  const u32 word = incoming.word;
  if (frontend.replay_mode != ReplayMode::Pass) {
    if (env.delays != nullptr && incoming.origin == Origin::Queue &&
        frontend.fifo.last_out().ends != 0 &&  // it came in a bundle, behind another
        env.delays->draw(DelayKind::Record, agent_of_thread(thread), word, now) != 0)
      return true;
    record(frontend, incoming);
  } else if (opcode_of(word) == op::REPLAY::kOpcode) {
    check_length(state, env, thread, now, op::REPLAY{word});
    start_replay(frontend, op::REPLAY{word});
    if (frontend.replay_mode == ReplayMode::Play)
      fill_gate(frontend, play(frontend), Origin::Replay);
  } else {
    fill_gate(frontend, word, incoming.origin);
  }
  return true;
}

Cycle next_available(const Frontend& frontend, Cycle now) {
  const auto next_of = [now](const auto& fifo) {
    return !fifo.empty() && fifo.front().pushed >= now ? fifo.front().pushed + 1 : kNever;
  };
  return std::min(next_of(frontend.fifo), next_of(frontend.brisc_fifo));
}

namespace {

/// The two places behind the replay expander hold words that have passed it. A REPLAY at the head
/// is taken at once and goes on from where it is; what it plays needs those places.
bool has_room_behind_mop(const Frontend& frontend) {
  const auto& queue = frontend.behind_mop;
  u32 places = kBehindMopDepth;
  if (frontend.replay_mode == ReplayMode::Play)
    places = kBeforeReplayDepth;
  else if (!queue.empty() && opcode_of(queue.front().word) == op::REPLAY::kOpcode)
    places = kBeforeReplayDepth + 1;
  return queue.size() < places;
}

bool holds_mop(const Frontend& frontend) {
  if (frontend.mop.phase != MopPhase::Idle) return true;
  for (u32 i = 0; i < frontend.fifo.size(); ++i) {
    if (opcode_of(frontend.fifo[i].word) == op::MOP::kOpcode) return true;
  }
  return false;
}

/// Puts what is left of the MOP under way behind the expander, as far as there is room.
void expand_ahead(Frontend& frontend) {
  u32 word = 0;
  while (frontend.mop.phase != MopPhase::Idle && has_room_behind_mop(frontend)) {
    if (next_of_mop(frontend, word)) frontend.behind_mop.push({0, word, 0});
  }
  // It may have no more than NOPs left, which take no place.
  const MopExpansion rest = frontend.mop;
  if (rest.phase != MopPhase::Idle && next_of_mop(frontend, word)) frontend.mop = rest;
  if (frontend.mop.phase == MopPhase::Idle && !frontend.behind_mop.empty())
    frontend.behind_mop.back().ends = 1;
}

void run_ahead(Frontend& frontend, Cycle now) {
  if (frontend.mop.phase != MopPhase::Idle) expand_ahead(frontend);
  while (has_room_behind_mop(frontend) && ready(frontend.fifo, now)) {
    const u32 word = frontend.fifo.pop().word;
    if (opcode_of(word) == op::MOP_CFG::kOpcode) {
      frontend.mask_hi = op::MOP_CFG{word}.zmask_hi16();
    } else if (opcode_of(word) == op::MOP::kOpcode) {
      start_mop(frontend, word);
      expand_ahead(frontend);
      if (frontend.mop.phase != MopPhase::Idle) return;
    } else {
      frontend.behind_mop.push({0, word, 1});
    }
  }
}

}  // namespace

bool mop_idle(const Frontend& frontend, Cycle now) {
  if (!holds_mop(frontend)) return true;
  Frontend ahead = frontend;
  run_ahead(ahead, now);
  return !holds_mop(ahead);
}

void run_ahead(State& state, const Environment& env, unsigned thread, Cycle now) {
  Frontend& frontend = state.frontend[thread];
  if (!holds_mop(frontend)) return;
  touch(env, fifo_of(thread));
  touch(env, thread_of(thread));
  run_ahead(frontend, now);
}

bool empty(const Frontend& frontend) {
  return !frontend.gate_full && frontend.fifo.empty() && frontend.brisc_fifo.empty() &&
         frontend.behind_mop.empty() && frontend.mop.phase == MopPhase::Idle &&
         frontend.replay_mode != ReplayMode::Play;
}

u32 types_of(u32 word) {
  // Bits of CSRs.md, "tt_cfg_qstatus".
  enum : u32 {
    kReplay = 1u << 0,
    kMop = 1u << 1,
    kThcon = 1u << 2,
    kMover = 1u << 3,
    kUnpack = 1u << 4,
    kPack = 1u << 5,
    kCfg = 1u << 6,
    kSync = 1u << 7,
    kTdma = 1u << 8,
    kSfpu = 1u << 9,
    kFpu = 1u << 10,
  };
  switch (info_of_word(word).unit) {
    case Unit::Frontend: {
      if (opcode_of(word) == op::MOP::kOpcode) return kMop;
      if (opcode_of(word) != op::REPLAY::kOpcode) return 0;
      const op::REPLAY replay{word};
      return replay.execute_while_loading() != 0 || replay.load_mode() == 0 ? u32{kReplay} : 0u;
    }
    case Unit::Thcon:
      return kThcon | kTdma;
    case Unit::Xmov:
      return kMover | kTdma;
    case Unit::Unpack:
      return kUnpack | kTdma;
    case Unit::Pack:
      return kPack | kTdma;
    case Unit::None:
    case Unit::Misc:
      return kTdma;
    case Unit::Cfg:
      return kCfg;
    case Unit::Sync:
      return kSync;
    case Unit::Sfpu:
      return kSfpu;
    case Unit::Fpu:
      return kFpu;
  }
  return 0;
}

u32 queued_types(const Frontend& frontend) {
  u32 types = 0;
  for (u32 i = 0; i < frontend.fifo.size(); ++i) types |= types_of(frontend.fifo[i].word);
  for (u32 i = 0; i < frontend.brisc_fifo.size(); ++i)
    types |= types_of(frontend.brisc_fifo[i].word);
  for (u32 i = 0; i < frontend.behind_mop.size(); ++i)
    types |= types_of(frontend.behind_mop[i].word);
  if (frontend.gate_full) types |= types_of(frontend.gate_word);
  if (frontend.mop.phase != MopPhase::Idle) types |= types_of(encode<op::MOP>());
  if (frontend.replay_mode == ReplayMode::Play) {
    types |= types_of(encode<op::REPLAY>());
    for (u32 i = 0; i < frontend.replay_left; ++i)
      types |= types_of(frontend.replay[(frontend.replay_index + i) % kReplaySlots]);
  }
  return types;
}

}  // namespace bhemu::tensix::frontend
