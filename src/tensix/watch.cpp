#include "tensix/watch.hpp"

#include <cstring>

#include "tensix/properties.hpp"

namespace bhemu::tensix {
namespace {

u32 ends_of(const Frontend& frontend) {
  u32 count = 0;
  for (u32 i = 0; i < frontend.behind_mop.size(); ++i) count += frontend.behind_mop[i].ends;
  return count;
}

const SrcFile& src_file(const State& state, u32 src) {
  return src == 0 ? state.fpu.src_a : state.fpu.src_b;
}

}  // namespace

BankWaits banks_waited_for(const State& state, u32 word) {
  BankWaits waits;
  const auto matrix = [&](u8 src) {
    waits.bank[waits.count++] = {src, src_file(state, src).matrix_bank, true};
  };
  const auto unpacker = [&](u32 src, bool matrix_bank = false) {
    const SrcFile& file = src_file(state, src);
    waits.bank[waits.count++] = {static_cast<u8>(src),
                                 matrix_bank ? file.matrix_bank : file.unpack_bank, false};
  };
  const Sources sources = properties_of(word).sources;
  if (sources == Sources::A || sources == Sources::Both) matrix(0);
  if (sources == Sources::B || sources == Sources::Both) matrix(1);
  switch (opcode_of(word)) {
    case op::UNPACR::kOpcode: {
      const op::UNPACR insn{word};
      if (insn.search_cache_flush() == 0 && insn.cfg_context_cnt_inc() == 0)
        unpacker(insn.unpack_block_selection());
      break;
    }
    case op::UNPACR_NOP::kOpcode: {
      constexpr u32 kClearSource = 1;
      constexpr u32 kOnlySetDvalid = 3;
      const op::UNPACR_NOP insn{word};
      if (insn.unpack_pop() == kClearSource && insn.clr_to1_fmt_ctrl() != kOnlySetDvalid)
        unpacker(insn.unpacker_select(), insn.stall_clr_cntrl() == 0);
      break;
    }
    case op::STOREIND::kOpcode: {
      const op::STOREIND insn{word};
      if (insn.mem_hier_sel() == 0 && insn.size_sel() == 0) unpacker(insn.reg_size_sel());
      break;
    }
    default:
      break;
  }
  return waits;
}

void Watch::before_step(const State& state, unsigned thread, Cycle now) {
  const Frontend& frontend = state.frontend[thread];
  before_.now = now;
  before_.queued = frontend.fifo.size();
  before_.ahead = frontend.behind_mop.size();
  before_.ends = before_.ahead != 0 && frontend.behind_mop.front().ends != 0;
  before_.gate_full = frontend.gate_full;
  before_.plays = frontend.replay_mode == ReplayMode::Play;
  before_.executed = frontend.executed;
  if (wants_changes_) {
    before_.semaphores = state.sync.semaphore;
    before_.mutexes = state.sync.mutex;
  }
  if (before_.queued != 0) words_[0] = frontend.fifo.front().word;
  operation_.reset();
}

/// Where the word came from that this step has brought to the gate.
trace::PushId Watch::source_of_gate(const Frontend& frontend, unsigned thread) const {
  const std::array<u64, 2>& last = last_[thread];
  if (frontend.gate_from_brisc) return {true, last[1] - frontend.brisc_fifo.size()};
  const u64 popped = last[0] - frontend.fifo.size();
  if (before_.ahead == frontend.behind_mop.size()) return {false, popped};
  // It was made ahead of time, and so was what is still there; of a MOP that is not made up whole
  // the end has not come yet.
  const u32 behind = ends_of(frontend) + static_cast<u32>(frontend.mop.phase != MopPhase::Idle);
  return {false, popped - behind + (before_.ends ? 0 : 1)};
}

void Watch::after_step(const State& state, unsigned thread) {
  const Frontend& frontend = state.frontend[thread];
  if (!before_.gate_full) {
    const bool plays = before_.plays || frontend.replay_mode == ReplayMode::Play;
    if (!before_.plays) {
      at_gate_[thread] = source_of_gate(frontend, thread);
      if (plays || frontend.gate_origin == Origin::Replay) of_replay_[thread] = at_gate_[thread];
    } else {
      at_gate_[thread] = of_replay_[thread];
    }
    if (frontend.fifo.size() < before_.queued) tell_expansions(frontend, thread, before_.queued);
  }
  if (wants_changes_) tell_objects(state, thread);
  if (!operation_) return;
  trace::Issue issue(*operation_);
  issue.thread = thread;
  issue.op = frontend.executed;
  issue.push = at_gate_[thread];
  issue.touches = &touches_;
  issue.state = &state;
  issue.discarded = discarded_;
  issue.old_words = {old_words_.data(), old_count_};
  observer_.issued(issue);
}

/// Of the first words of words_, those that the MOP expander has taken.
void Watch::tell_expansions(const Frontend& frontend, unsigned thread, u32 left_before) {
  const u32 left = frontend.fifo.size();
  for (u32 i = 0; i < left_before - left; ++i) {
    if (opcode_of(words_[i]) != op::MOP::kOpcode) continue;
    const u64 number = last_[thread][0] - (left_before - 1 - i);
    observer_.expanded({author_of(thread, words_[i], before_.now, Origin::Queue), thread,
                        trace::PushId{false, number}});
  }
}

void Watch::lifts(const Frontend& frontend, unsigned thread, Cycle now) {
  observer_.lifted(
      {author_of(thread, frontend.wait.word, now, Origin::None), thread, frontend.executed});
}

void Watch::landed(trace::Landing::What what, Author author, const Touches& touches, u32 piece,
                   u32 pieces) {
  trace::Landing landing;
  landing.what = what;
  landing.author = author;
  landing.author.tile = tile_;
  landing.piece = piece;
  landing.pieces = pieces;
  landing.touches = &touches;
  observer_.landed(landing);
}

void Watch::runs_ahead(const State& state, unsigned thread, Cycle now) {
  const Frontend& frontend = state.frontend[thread];
  before_.now = now;
  before_.queued = frontend.fifo.size();
  for (u32 i = 0; i < before_.queued; ++i) words_[i] = frontend.fifo[i].word;
}

void Watch::ran_ahead(const State& state, unsigned thread) {
  tell_expansions(state.frontend[thread], thread, before_.queued);
}

void Watch::offered(const Context& context) {
  waits_ = banks_waited_for(context.state, context.word);
  for (u32 i = 0; i < waits_.count; ++i) {
    const BankWait& wait = waits_.bank[i];
    const SrcOwner wanted = wait.matrix ? SrcOwner::Matrix : SrcOwner::Unpacker;
    if (src_file(context.state, wait.src).owner[wait.bank] != wanted) return;  // it will wait
  }
  for (u32 src = 0; src < 2; ++src) owners_[src] = src_file(context.state, src).owner;
  touches_.clear();
  footprint(context.state, context.env, context.thread, context.word, touches_);
  note_old_words(context.l1());
}

void Watch::note_old_words(const L1& l1) {
  constexpr u32 kMostBytes = 16;
  old_count_ = 0;
  for (const Touch& touch : touches_) {
    if (touch.space != Space::L1 || !writes(touch.access)) continue;
    const u32 first = touch.begin / 4;
    const u32 count = (touch.end() + 3) / 4 - first;
    if (touch.end() - touch.begin > kMostBytes || touch.end() > l1.size()) return;
    std::memcpy(old_words_.data(), l1.data() + first * 4, count * 4);
    old_count_ = count;
    return;
  }
}

void Watch::taken(const Context& context, BusyUnit unit, Cycle end, bool discarded) {
  Author author = context.author();
  author.tile = tile_;
  operation_ = Operation{author, unit, context.now, context.now, end, context.moved};
  discarded_ = discarded;
  if (discarded) return;
  trace::BankMove move;
  move.author = author;
  move.thread = context.thread;
  move.op = context.state.frontend[context.thread].executed;
  for (u32 i = 0; i < waits_.count; ++i) {
    move.src = waits_.bank[i].src;
    move.bank = waits_.bank[i].bank;
    move.matrix = waits_.bank[i].matrix;
    observer_.moved(move);
  }
  move.gives = true;
  for (u8 src = 0; src < 2; ++src) {
    const SrcFile& file = src_file(context.state, src);
    for (u8 bank = 0; bank < kSrcBanks; ++bank) {
      if (file.owner[bank] == owners_[src][bank]) continue;
      move.src = src;
      move.bank = bank;
      move.matrix = file.owner[bank] == SrcOwner::Unpacker;
      observer_.moved(move);
    }
    // One that goes with the last piece is told of when it was asked for, as everything is.
    const UnpackFlight& flight = context.state.flights.unpack[src];
    if (context.pieces != &flight.pieces || flight.pieces.count == 0 || !flight.hands_over)
      continue;
    move.src = src;
    move.bank = static_cast<u8>(flight.destination.bank);
    move.matrix = false;
    observer_.moved(move);
  }
}

void Watch::tell_objects(const State& state, unsigned thread) {
  const Frontend& frontend = state.frontend[thread];
  const Author author = author_of(thread, frontend.gate_word, before_.now, frontend.gate_origin);
  for (u32 i = 0; i < kSemaphores; ++i) {
    const Semaphore& after = state.sync.semaphore[i];
    const Semaphore& was = before_.semaphores[i];
    if (after.value == was.value && after.max == was.max) continue;
    observer_.changed({author, trace::Object::Semaphore, trace::ObjectChange::How::Set, i,
                       was.value, after.value});
  }
  for (u32 i = 0; i < kMutexes; ++i) {
    if (state.sync.mutex[i] == before_.mutexes[i]) continue;
    observer_.changed({author, trace::Object::Mutex, trace::ObjectChange::How::Set, i,
                       before_.mutexes[i], state.sync.mutex[i]});
  }
}

void Watch::before_scheduled(const Context& context) {
  scheduled_.clear();
  footprint(context.state, context.env, *context.scheduled, scheduled_);
}

void Watch::after_scheduled(const Context& context, Cycle end) {
  Author author = context.author();
  author.tile = tile_;
  const Operation operation{author, BusyUnit::Sfpu, context.now, context.now, end, 0};
  trace::Issue issue(operation);
  issue.thread = context.thread;
  issue.op = context.state.frontend[context.thread].executed;
  issue.touches = &scheduled_;
  issue.state = &context.state;
  issue.scheduled = true;
  observer_.issued(issue);
}

}  // namespace bhemu::tensix
