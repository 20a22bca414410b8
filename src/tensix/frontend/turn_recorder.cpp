#include "tensix/frontend/turn_recorder.hpp"

#include <algorithm>
#include <cstring>

#include "tensix/frontend/cycles.hpp"

namespace bhemu::tensix::frontend {
namespace {

using Kind = KnownTurn::Kind;

constexpr u32 kStreams = 0xFFB40000;  // registers of the overlay
constexpr u32 kStreamsEnd = 0xFFB80000;

bool is_one_of(u8 opcode, std::initializer_list<u8> list) {
  return std::find(list.begin(), list.end(), opcode) != list.end();
}

/// What kernels count tiles with: nothing of a stream matters to a coprocessor that does not wait
/// for it.
bool stores_to_stream(op::STOREREG insn) {
  const u32 address = 0xFFB00000 + insn.reg_addr() * 4;
  return address >= kStreams && address < kStreamsEnd;
}

/// It reaches nothing but its unit, streams, general purpose registers, counters, configuration,
/// semaphores and mutexes, and whether it leaves its gate follows from what a key describes.
bool can_be_noted(u32 word) {
  const u8 opcode = opcode_of(word);
  switch (kDecoded[opcode].unit) {
    case Unit::None:
    case Unit::Fpu:
      return true;
    case Unit::Sfpu:
      return opcode != op::SFPLOADMACRO::kOpcode;
    case Unit::Pack:
      return opcode == op::PACR::kOpcode;
    case Unit::Unpack: {
      // Of UNPACR_NOP, those that have to do with neither streams nor registers.
      const u32 pops = op::UNPACR_NOP{word}.unpack_pop();
      return opcode == op::UNPACR::kOpcode || pops == 1 || pops == 2;
    }
    case Unit::Misc:
      return opcode != op::RSTDMA::kOpcode;
    case Unit::Cfg:
      return opcode != op::STREAMWRCFG::kOpcode;
    case Unit::Sync:
      return opcode != op::STREAMWAIT::kOpcode;
    case Unit::Thcon:
      if (opcode == op::STOREREG::kOpcode) return stores_to_stream(op::STOREREG{word});
      return is_one_of(opcode,
                       {op::SETDMAREG::kOpcode, op::ADDDMAREG::kOpcode, op::SUBDMAREG::kOpcode,
                        op::MULDMAREG::kOpcode, op::BITWOPDMAREG::kOpcode, op::SHIFTDMAREG::kOpcode,
                        op::CMPDMAREG::kOpcode, op::DMANOP::kOpcode});
    case Unit::Xmov:
    case Unit::Frontend:
      break;
  }
  return false;
}

/// It stays at its gate without an effect, however often it is offered to its unit.
bool waits_quietly(const State& state, u32 word) {
  if (opcode_of(word) != op::ATGETM::kOpcode)
    return (kDecoded[opcode_of(word)].step & kStepWaitsForSource) != 0;
  const u32 index = op::ATGETM{word}.mutex_index();
  return index < kMutexes && state.sync.mutex[index] != kNobody;
}

bool is_wait(u8 opcode) {
  return is_one_of(opcode, {op::STALLWAIT::kOpcode, op::SEMWAIT::kOpcode});
}

Kind kind_of(u8 opcode, const Decoded& decoded) {
  if (is_one_of(opcode, {op::PACR::kOpcode, op::MVMUL::kOpcode})) return Kind::Several;
  return decoded.unit == Unit::Sfpu ? Kind::Vector : Kind::One;
}

/// Expanders report and declare by themselves: who has such words is not noted.
bool expands_silently(const Frontend& frontend) {
  const auto is_silent = [](u32 word) {
    if (opcode_of(word) == op::RESOURCEDECL::kOpcode) return false;
    return opcode_of(word) != op::REPLAY::kOpcode || op::REPLAY{word}.len() <= kReplaySlots;
  };
  for (u32 i = 0; i < frontend.fifo.size(); ++i)
    if (!is_silent(frontend.fifo[i].word)) return false;
  for (u32 i = 0; i < frontend.behind_mop.size(); ++i)
    if (!is_silent(frontend.behind_mop[i].word)) return false;
  return std::all_of(frontend.mop_config.begin(), frontend.mop_config.end(), is_silent) &&
         std::all_of(frontend.replay.begin(), frontend.replay.end(), is_silent);
}

}  // namespace

TurnRecorder::TurnRecorder(Turn& turn, State& state, const Environment& env, const TurnKey& key,
                           Cycle from)
    : executes_(turn),
      state_(state),
      env_(env),
      from_(from),
      turn_(std::make_unique<KnownTurn>()),
      before_(state.frontend) {
  turn_->hash = key.hash();
  turn_->key.assign(key.data(), key.data() + key.size());
  notes_ = std::all_of(before_.begin(), before_.end(), expands_silently);
}

void TurnRecorder::run(Cycle until) {
  run_cycles(state_, env_, *this, from_, until);
}

Cycle TurnRecorder::burst(Cycle now, Cycle) {
  if (windows_are_watched(env_)) advance(state_, env_, now);
  return now;
}

void TurnRecorder::note(KnownTurn::Event::Kind kind, unsigned thread, Cycle now, u32 word) {
  turn_->events.push_back({kind, static_cast<u8>(thread), static_cast<u8>(now - from_), word});
  turn_->touched |= mask_of(thread_of(thread));
}

void TurnRecorder::note_instruction(const Context& context, const Decoded& decoded, u64 before) {
  const u8 opcode = opcode_of(context.word);
  if (is_wait(opcode)) return;  // it changes its frontend, and nothing else
  KnownTurn& turn = *turn_;
  const u8 cycle = static_cast<u8>(context.now - from_);
  const Kind kind = kind_of(opcode, decoded);
  const auto follows = [&](const KnownTurn::Group& last) {
    return last.kind == kind && last.thread == context.thread && last.origin == context.origin &&
           last.cycle + last.count == cycle && last.bank_check == 0;
  };
  if (kind != Kind::One && !turn.groups.empty() && follows(turn.groups.back())) {
    ++turn.groups.back().count;
  } else {
    KnownTurn::Group group{};
    group.execute = decoded.execute;
    group.forgets = (decoded.step & kStepKeepsProducts) == 0;
    group.first = static_cast<u16>(turn.words.size());
    group.count = 1;
    group.cycle = cycle;
    group.thread = static_cast<u8>(context.thread);
    group.kind = kind;
    group.origin = context.origin;
    turn.groups.push_back(group);
  }
  turn.words.push_back(context.word);
  // Another thread may wait for a bank: a group ends where one can change hands.
  const u64 banks = bank_control(state_.fpu);
  const bool may_change =
      banks != before || (released_units(decoded, context.word) & kReleaseSource) != 0;
  if (!may_change) return;
  turn.groups.back().bank_check = static_cast<u16>(turn.banks.size());
  turn.banks.push_back(banks);
}

bool TurnRecorder::step(unsigned thread, Cycle now, u8& accepted) {
  using Event = KnownTurn::Event::Kind;
  Frontend& frontend = state_.frontend[thread];
  if (!notes_) return executes_.step_by_itself(thread, now, accepted);
  bool changed = false;
  if (!frontend.gate_full && refill(state_, env_, frontend, thread, now)) {
    changed = true;
    note(Event::Refill, thread, now);
  }
  if (frontend.wait.kind != WaitKind::None) {
    const bool blocked = hold<Plain>(state_, env_, thread, now, changed);
    if (frontend.wait.kind == WaitKind::None) note(Event::Lift, thread, now);
    if (blocked) return changed;
  }
  if (!frontend.gate_full) return changed;

  const u32 word = frontend.gate_word;
  const Decoded& decoded = kDecoded[opcode_of(word)];
  if (!can_be_noted(word)) {  // more may decide about it than is looked at below
    notes_ = false;
    return static_cast<bool>(changed | executes_.step_by_itself(thread, now, accepted));
  }
  const auto [accept, unit] = claim_of(decoded, word);
  if ((accepted & accept) != 0) return changed;
  if (env_.wakeup != nullptr) env_.wakeup->touch(thread_of(thread));
  Context context{state_, env_, thread, now, word, nullptr, frontend.gate_origin};
  const u64 banks = bank_control(state_.fpu);
  const Issued issued = executes_.issue_one(context, decoded, unit);
  if (issued == Issued::Stall) {
    if (!waits_quietly(state_, word)) notes_ = false;
    return changed;
  }
  if (issued == Issued::Stopped) {
    notes_ = false;
    return true;
  }
  accepted |= accept;
  note(Event::Issue, thread, now, word);
  note_instruction(context, decoded, banks);
  return true;
}

bool TurnRecorder::cycle(Cycle now, u8& accepted) {
  bool changed = false;
  for (unsigned thread = 0; thread < kThreads; ++thread)
    if (!idle(state_.frontend[thread])) changed |= step(thread, now, accepted);
  return changed;
}

void TurnRecorder::note_after(unsigned thread, Cycle until) {
  const Frontend& before = before_[thread];
  const Frontend& is = state_.frontend[thread];
  KnownTurn::After& after = turn_->after[thread];
  after.changed = std::any_of(turn_->events.begin(), turn_->events.end(),
                              [thread](const auto& event) { return event.thread == thread; });
  if (!after.changed) return;
  after.taken = static_cast<u8>(before.fifo.size() - is.fifo.size());
  after.taken_behind = static_cast<u8>(before.behind_mop.size() - is.behind_mop.size());
  if (after.taken != 0) turn_->touched |= mask_of(fifo_of(thread));
  after.gate_full = is.gate_full;
  after.gate_from_brisc = is.gate_from_brisc;
  after.gate_origin = is.gate_origin;
  after.replay_mode = is.replay_mode;
  after.replay_index = is.replay_index;
  after.replay_left = is.replay_left;
  after.gate_word = is.gate_word;
  after.mask_hi = is.mask_hi;
  after.executed = static_cast<u32>(is.executed - before.executed);
  after.mop = is.mop;
  after.wait = is.wait;
  if (is.replay != before.replay)
    after.replay = std::make_unique<std::array<u32, kReplaySlots>>(is.replay);
  for (unsigned unit = 0; unit < kBusyUnits; ++unit) {
    const Cycle end = state_.busy_until[thread][unit];
    after.busy[unit] = end > from_ ? static_cast<u8>(std::min(end, until) - from_) : 0;
  }
}

std::unique_ptr<KnownTurn> TurnRecorder::take(Cycle until) {
  if (!notes_) {
    auto nothing = std::make_unique<KnownTurn>();
    nothing->hash = turn_->hash;
    nothing->key = std::move(turn_->key);
    nothing->noted = false;
    return nothing;
  }
  for (unsigned thread = 0; thread < kThreads; ++thread) note_after(thread, until);
  turn_->asleep = state_.asleep;
  return std::move(turn_);
}

}  // namespace bhemu::tensix::frontend
