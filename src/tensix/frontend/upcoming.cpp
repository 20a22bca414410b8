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
NextWord next_in_loop(const Frontend& frontend, const MopExpansion& run) {
  if (const u32 left = loop_words_left(frontend, run); left != 0) {
    MopExpansion at = run;
    if (at.inner == at.inner_count) {
      at.inner = 0;
      ++at.outer;
    }
    return {true, left >= 2, loop_word(frontend, at)};
  }
  const u32 start = frontend.mop_config[kMopStartOp];
  if (run.phase == MopPhase::Start && !is_nop(start)) return {true, false, start};
  return {};
}

/// Of the queue, whose first word can be taken.
NextWord next_of_queue(const Frontend& frontend) {
  const u32 word = frontend.fifo.front().word;
  if (opcode_of(word) != op::MOP::kOpcode) return {true, frontend.fifo.size() >= 2, word};
  return next_in_loop(frontend, begin_mop(frontend, word));
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
    next = next_in_loop(frontend, frontend.mop);
  } else if (!frontend.fifo.empty() && frontend.fifo.front().pushed < now) {
    next = next_of_queue(frontend);
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
    if (frontend_.mop.phase != MopPhase::Idle || begins_mop(env, thread, now))
      look_at_mop(env, thread, most);
    else
      look_at_queue(env, thread, now, most);
  }
  if (frontend_.replay_mode != ReplayMode::Play) return;
  origin_ = Origin::Replay;
  first_ = &frontend_.replay[frontend_.replay_index];
  count_ = std::min({u32{frontend_.replay_left}, kReplaySlots - frontend_.replay_index, most});
}

/// A MOP's first word comes in the cycle in which the MOP leaves the queue.
bool Upcoming::begins_mop(const Environment& env, unsigned thread, Cycle now) {
  const auto& fifo = frontend_.fifo;
  if (fifo.empty() || fifo.front().pushed >= now ||
      opcode_of(fifo.front().word) != op::MOP::kOpcode)
    return false;
  const MopExpansion run = begin_mop(frontend_, fifo.front().word);
  if (loop_words_left(frontend_, run) == 0) return false;
  touch(env, fifo_of(thread));
  touch(env, thread_of(thread));
  frontend_.fifo.drop();
  frontend_.gate_from_brisc = false;
  frontend_.mop = run;
  return true;
}

void Upcoming::look_at_mop(const Environment& env, unsigned thread, u32 most) {
  MopExpansion& run = frontend_.mop;
  count_ = std::min(loop_words_left(frontend_, run), most);
  if (count_ != 0) {
    list_loop_words(frontend_, run, listed_.data(), count_);
    if (opcode_of(listed_[0]) != op::REPLAY::kOpcode) {
      origin_ = Origin::Mop;
      first_ = listed_.data();
      return;
    }
    count_ = 0;
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
  static_assert(kFifoDepth <= kReplaySlots, "listed_ has room for the queue");
  origin_ = Origin::Queue;
  most = std::min(most, fifo.size());
  first_ = listed_.data();
  for (; count_ < most && fifo[count_].pushed < now + count_; ++count_) {
    const u32 word = fifo[count_].word;
    if (!kDecoded[opcode_of(word)].plain) return;
    listed_[count_] = word;
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
    return;
  }
  frontend_.gate_from_brisc = false;
  if (origin_ == Origin::Mop)
    skip_loop_words(frontend_.mop, count);
  else
    for (u32 i = 0; i < count; ++i) frontend_.fifo.drop();
}

}  // namespace bhemu::tensix::frontend
