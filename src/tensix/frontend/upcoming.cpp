#include "tensix/frontend/upcoming.hpp"

#include <algorithm>

#include "tensix/frontend/frontend.hpp"
#include "tensix/frontend/mop.hpp"

namespace bhemu::tensix::frontend {
namespace {

/// The word starts a playback, which begins with the next word that comes.
bool starts_playback(Frontend& frontend, u32 word) {
  if (opcode_of(word) != op::REPLAY::kOpcode) return false;
  const op::REPLAY insn{word};
  // One that is too long is reported.
  if (insn.load_mode() != 0 || insn.len() > kReplaySlots) return false;
  start_replay(frontend, insn);
  return true;
}

void touch(const Environment& env, Resource resource) {
  if (env.wakeup != nullptr) env.wakeup->touch(resource);
}

/// Of a MOP of template 1 from the start of an iteration to its last inner one.
NextWord next_in_loop(const Frontend& frontend) {
  const MopExpansion& run = frontend.mop;
  if (run.phase == MopPhase::Start) {
    const u32 start = frontend.mop_config[kMopStartOp];
    if (opcode_of(start) != op::NOP::kOpcode) return {true, false, start};
  } else if (run.phase != MopPhase::Loop) {
    return {};
  }
  if (run.inner >= run.inner_count) return {};
  return {true, repeats_one_word(frontend) && run.inner + 2 < run.inner_count, loop_word(frontend)};
}

}  // namespace

NextWord next_word(const Frontend& frontend, Cycle now) {
  if (frontend.replay_mode == ReplayMode::Play)
    return {true, frontend.replay_left >= 2, frontend.replay[frontend.replay_index]};
  if (frontend.replay_mode != ReplayMode::Pass || !frontend.brisc_fifo.empty() ||
      !frontend.behind_mop.empty())
    return {};
  NextWord next;
  if (frontend.mop.phase != MopPhase::Idle) {
    next = next_in_loop(frontend);
  } else if (!frontend.fifo.empty() && frontend.fifo.front().pushed < now) {
    next = {true, frontend.fifo.size() >= 2, frontend.fifo.front().word};
  }
  if (next.known && opcode_of(next.word) == op::REPLAY::kOpcode) {
    const op::REPLAY insn{next.word};
    if (insn.load_mode() != 0 || insn.len() > kReplaySlots) return {};
    return {true, insn.len() != 1, frontend.replay[insn.start_idx() % kReplaySlots]};
  }
  if (kDecoded[opcode_of(next.word)].unit == Unit::Frontend) return {};
  return next;
}

Upcoming::Upcoming(State& state, const Environment& env, unsigned thread, Cycle now, u32 most)
    : frontend_(state.frontend[thread]) {
  if (frontend_.replay_mode == ReplayMode::Pass && frontend_.brisc_fifo.empty() &&
      frontend_.behind_mop.empty()) {
    if (frontend_.mop.phase != MopPhase::Idle)
      look_at_mop(env, thread, most);
    else
      look_at_queue(env, thread, now, most);
  }
  if (frontend_.replay_mode != ReplayMode::Play) return;
  origin_ = Origin::Replay;
  first_ = &frontend_.replay[frontend_.replay_index];
  step_ = 1;
  count_ = std::min({u32{frontend_.replay_left}, kReplaySlots - frontend_.replay_index, most});
}

void Upcoming::look_at_mop(const Environment& env, unsigned thread, u32 most) {
  MopExpansion& run = frontend_.mop;
  if (repeats_one_word(frontend_) &&
      opcode_of(frontend_.mop_config[kMopLoopOp]) != op::REPLAY::kOpcode) {
    origin_ = Origin::Mop;
    first_ = &frontend_.mop_config[kMopLoopOp];
    count_ = std::min(run.inner_count - 1 - run.inner, most);
    return;
  }
  const MopExpansion before = run;
  u32 word;
  if (next_of_mop(frontend_, word) && starts_playback(frontend_, word)) {
    touch(env, thread_of(thread));
    frontend_.gate_from_brisc = false;
  } else {
    run = before;
  }
}

void Upcoming::look_at_queue(const Environment& env, unsigned thread, Cycle now, u32 most) {
  auto& fifo = frontend_.fifo;
  if (fifo.empty() || fifo.front().pushed >= now) return;
  if (starts_playback(frontend_, fifo.front().word)) {
    touch(env, fifo_of(thread));
    touch(env, thread_of(thread));
    fifo.drop();
    frontend_.gate_from_brisc = false;
    return;
  }
  origin_ = Origin::Queue;
  most = std::min(most, fifo.size());
  first_ = queued_.data();
  step_ = 1;
  for (; count_ < most && fifo[count_].pushed < now + count_; ++count_) {
    const u32 word = fifo[count_].word;
    if (!kDecoded[opcode_of(word)].plain) return;
    queued_[count_] = word;
  }
}

void Upcoming::take(u32 count, bool at_gate) {
  frontend_.gate_word = (*this)[count - 1];
  frontend_.gate_origin = origin_;
  frontend_.gate_full = at_gate;
  if (origin_ == Origin::Replay) {
    frontend_.replay_index = static_cast<u8>((frontend_.replay_index + count) % kReplaySlots);
    frontend_.replay_left = static_cast<u8>(frontend_.replay_left - count);
    if (frontend_.replay_left == 0) frontend_.replay_mode = ReplayMode::Pass;
  } else if (origin_ == Origin::Mop) {
    frontend_.mop.inner += count;
  } else {
    for (u32 i = 0; i < count; ++i) frontend_.fifo.drop();
    frontend_.gate_from_brisc = false;
  }
}

}  // namespace bhemu::tensix::frontend
