// What threads of the coprocessor do.
#include <algorithm>

#include "base/bits.hpp"
#include "hazard/observer.hpp"
#include "tensix/conditions.hpp"
#include "tensix/config.hpp"
#include "tensix/isa.hpp"
#include "tensix/operation.hpp"
#include "tensix/state.hpp"

namespace bhemu::hazard {
namespace {

using race::Location;
using race::Mode;
using race::Place;
namespace event = race::event;
namespace op = tensix::op;

constexpr unsigned kTrisc0 = 2;
constexpr unsigned kBrisc = 0;
constexpr std::size_t kPushes = 64;  // that are remembered; a queue holds 32
constexpr u32 kDisTriscCache = 18;
constexpr u8 kMostInBundle = 4;
constexpr u32 kLaneConfigSwitch = 18;  // race::Place::LReg: LaneConfig.DISABLE_BACKDOOR_LOAD

bool is_ttinsn(u32 word) {
  return (word & 3) != 3;
}

/// An UNPACR_NOP that waits for the matrix unit's bank and clears the unpacker's.
bool tests_other_bank(u32 word) {
  return tensix::opcode_of(word) == op::UNPACR_NOP::kOpcode &&
         op::UNPACR_NOP{word}.stall_clr_cntrl() == 0;
}

/// The detector's mode of an access in a footprint: only the scalar unit's accesses that read and
/// write L1 are atomic for other agents.
Mode mode_of(const tensix::Touch& touch, u32 word) {
  if (!tensix::writes(touch.access)) return Mode::Read;
  const bool atomic = touch.space == tensix::Space::L1 && tensix::reads(touch.access) &&
                      race::part_of_word(word) == race::Part::Thcon;
  return atomic ? Mode::Atomic : Mode::Write;
}

/// Fields of which shipped software believes that an instruction takes them when it is issued.
bool is_sampled(const Location& where, u32 word) {
  if (where.place != Place::Config || where.size != 1) return false;
  if (tensix::opcode_of(word) == tensix::op::RDCFG::kOpcode) return true;
  const u64 field = where.begin % race::kConfigBank;
  if (field >= std::size(tensix::kConfigFields)) return false;
  const std::string_view name = tensix::kConfigFields[field].name;
  const race::Part part = race::part_of_word(word);
  if (part == race::Part::Unpack0 || part == race::Part::Unpack1)
    return name.starts_with("THCON_SEC0_REG3_Base") || name.starts_with("THCON_SEC1_REG3_Base") ||
           name.starts_with("THCON_SEC0_REG7_Offset") || name.starts_with("THCON_SEC1_REG7_Offset");
  if (part != race::Part::Pack) return false;
  return name == "THCON_SEC0_REG1_L1_Dest_addr" ||
         (name.starts_with("PCK0_ADDR_CTRL_") && name.ends_with("stride"));
}

}  // namespace

void TileObserver::pushed(const trace::Push& push) {
  if (push.core >= kCores) return;  // the debug bus
  const CoreView& core = cores_[push.core];
  detectors_.feed(
      event::Push{push.author, push.thread, push.word, static_cast<u32>(push.number), core.step});
  note_push(threads_[push.thread], push);
}

/// Whether the core could have fused the word with its neighbours, which only it knows.
void TileObserver::note_push(ThreadView& thread, const trace::Push& push) {
  const bool by_brisc = push.core < kTrisc0;
  ThreadView::Pushed& pushed = thread.pushed[by_brisc][push.number % kPushes];
  pushed = {static_cast<u32>(push.number), push.author.pc};
  if (by_brisc) return;
  const CoreView& core = cores_[push.core];
  const bool gathers = is_ttinsn(core.word) && !bit(core.cfg0, kDisTriscCache);
  const bool continues = gathers && thread.bundle_pc == push.author.pc;
  thread.in_bundle = !gathers    ? u8{0}
                     : continues ? static_cast<u8>(thread.in_bundle % kMostInBundle + 1)
                                 : u8{1};
  thread.bundle_pc = push.author.pc + 4;
  pushed.gathering = gathers;
  pushed.in_bundle = thread.in_bundle;
  if (tensix::opcode_of(push.word) != op::REPLAY::kOpcode) return;
  // It does not come to the gate: what it does is done in front of it.
  race::Instruction one;
  one.site = {agent_of_thread(push.thread), push.word, push.author.cycle, node_, Origin::Queue};
  one.gathering = gathers;
  one.pushed_at = push.author.pc;
  thread.window.recorded(one);
}

/// Null: nobody was watching when the word was pushed.
const TileObserver::ThreadView::Pushed* TileObserver::push_of(unsigned thread,
                                                              const trace::PushId& push) const {
  const ThreadView::Pushed& pushed = threads_[thread].pushed[push.by_brisc][push.number % kPushes];
  return pushed.number == static_cast<u32>(push.number) ? &pushed : nullptr;
}

void TileObserver::expanded(const trace::Expansion& one) {
  const unsigned core = one.push.by_brisc ? kBrisc : one.thread + kTrisc0;
  const ThreadView::Pushed* pushed = push_of(one.thread, one.push);
  detectors_.feed(event::Expand{one.author,
                                one.thread,
                                static_cast<u32>(one.push.number),
                                core,
                                {Place::MopConfig, 9, one.thread * 9},
                                pushed != nullptr ? pushed->pc : 0});
}

void TileObserver::moved(const trace::BankMove& move) {
  threads_[move.thread].moves.push_back(move);
}

void TileObserver::feed_moves(ThreadView& thread, u32 number, bool gives) {
  for (const trace::BankMove& move : thread.moves) {
    if (move.gives != gives) continue;
    if (gives) {
      detectors_.feed(
          event::SrcGive{move.author, move.thread, number, move.src, move.bank, move.matrix});
    } else {
      detectors_.feed(event::SrcTake{move.author, move.thread, number, move.src, move.bank,
                                     move.matrix, tests_other_bank(move.author.pc)});
    }
  }
}

/// The bits of a configuration word that an instruction has changed, or will when what is under way
/// has landed; all, where that is not known.
u32 TileObserver::config_change(const trace::Issue& issue, u32 word) const {
  if (issue.state == nullptr || word >= config_.size()) return ~0u;
  const u32 bank = word / tensix::kConfigWords;
  const u32 in_bank = word % tensix::kConfigWords;
  u32 value = issue.state->cfg.bank[bank][in_bank];
  const tensix::EffectQueue& effects = issue.state->effects;
  for (u32 i = 0; i < effects.count; ++i) {
    const tensix::Effect& one = effects.effect[i];
    if (one.kind != tensix::EffectKind::Config || one.address != in_bank) continue;
    if (one.bank == bank || in_bank >= tensix::kGlobalConfigBase)
      value = (value & ~one.mask) | (one.value[0] & one.mask);
  }
  return config_[config_place(word)] ^ value;
}

void TileObserver::take_config(const trace::Issue& issue, const tensix::Touch& touch) {
  for (u32 word = touch.begin; word < touch.end() && word < config_.size(); ++word)
    config_[config_place(word)] ^= config_change(issue, word) & touch.mask;
}

void TileObserver::feed_touches(const trace::Issue& issue, u32 number, std::vector<Location>& reads,
                                std::vector<Location>& writes) {
  const Author& author = issue.operation.author;
  std::vector<Location>& places = places_;
  for (const tensix::Touch& touch : *issue.touches) {
    places.clear();
    locations_of(touch, places);
    const Mode mode = mode_of(touch, author.pc);
    if (touch.space == tensix::Space::Config && mode == Mode::Write) places = single_fields(places);
    for (const Location& where : places) {
      const bool same = where.place == Place::Config && mode == Mode::Write &&
                        (mask_of_fields(where) & config_change(issue, word_of_fields(where))) == 0;
      race::OldWords old;
      if (where.place == Place::L1 && mode != Mode::Read) old = {where.begin, issue.old_words};
      detectors_.feed(event::Access{author, issue.thread, number, where, mode,
                                    is_sampled(where, author.pc), same, old});
      if (mode != Mode::Write || tensix::reads(touch.access)) reads.push_back(where);
      if (mode != Mode::Read) writes.push_back(where);
      if (where.place == Place::L1 && mode != Mode::Read) written(where.begin, where.size);
    }
    if (touch.space == tensix::Space::Config && mode == Mode::Write) take_config(issue, touch);
    if (touch.space == tensix::Space::SfpuConfig && tensix::writes(touch.access))
      writes.push_back({Place::LReg, 1, kLaneConfigSwitch});
  }
}

/// SETRWC and CLEARDVALID do not wait: a bank that they give back may have been the unpacker's all
/// the time. Then nothing has changed hands, but the pointer has moved.
void TileObserver::note_release(ThreadView& thread, const trace::Issue& issue) {
  const u32 word = issue.operation.author.pc;
  const u8 opcode = tensix::opcode_of(word);
  u32 mask = 0;
  if (opcode == op::SETRWC::kOpcode) mask = op::SETRWC{word}.clear_ab_vld();
  if (opcode == op::CLEARDVALID::kOpcode) mask = op::CLEARDVALID{word}.cleardvalid();
  if (mask == 0 || issue.state == nullptr) return;
  for (u8 src = 0; src < 2; ++src) {
    const auto gives = [src](const trace::BankMove& move) { return move.gives && move.src == src; };
    if (!bit(mask, src) || std::any_of(thread.moves.begin(), thread.moves.end(), gives)) continue;
    const tensix::SrcFile& file = src == 0 ? issue.state->fpu.src_a : issue.state->fpu.src_b;
    const u8 before = file.matrix_bank ^ 1;
    thread.moves.push_back(
        {issue.operation.author, issue.thread, issue.op, src, before, true, true});
  }
}

/// How many posts must have come to the register that a STREAMWAIT waits for.
void TileObserver::test_stream(const trace::Issue& issue) {
  if (issue.state == nullptr) return;
  const tensix::LatchedWait& wait = issue.state->frontend[issue.thread].wait;
  if (wait.kind != tensix::WaitKind::Streamwait) return;
  const u32 in_stream =
      bit(wait.condition, 0) ? tensix::kStreamCurrentPhase : tensix::kStreamMessagesReceived;
  const u32 address = tensix::stream_register_address(issue.state->thread_config(issue.thread),
                                                      wait.stream_select, in_stream);
  const u32 index = stream_register(address);
  const u32 base = page_bases_[index];
  if (wait.target <= base) return;
  detectors_.feed(event::StreamTest{issue.thread, static_cast<u16>(index), wait.target - base});
}

void TileObserver::issued(const trace::Issue& issue) {
  ThreadView& thread = threads_[issue.thread];
  const Author& author = issue.operation.author;
  const u32 word = author.pc;
  std::vector<Location> reads;
  std::vector<Location> writes;
  if (issue.scheduled) {
    // A part of the macro that has asked for it.
    if (issue.touches != nullptr && thread.last_macro != 0)
      feed_touches(issue, thread.last_macro, reads, writes);
    return;
  }
  const u32 number = static_cast<u32>(issue.op);
  const u8 opcode = tensix::opcode_of(word);
  if (opcode == op::SFPLOADMACRO::kOpcode) thread.last_macro = number;
  if (opcode == op::STALLWAIT::kOpcode && issue.state != nullptr) {
    const tensix::SrcFile& a = issue.state->fpu.src_a;
    const tensix::SrcFile& b = issue.state->fpu.src_b;
    detectors_.feed(event::SrcPointers{a.unpack_bank, b.unpack_bank, a.matrix_bank, b.matrix_bank});
  }
  const unsigned core = issue.push.by_brisc ? kBrisc : issue.thread + kTrisc0;
  const ThreadView::Pushed* pushed = push_of(issue.thread, issue.push);
  detectors_.feed(event::Issue{author, issue.thread, static_cast<u32>(issue.push.number), core,
                               number, pushed != nullptr ? pushed->pc : 0});
  if (opcode == op::STREAMWAIT::kOpcode) test_stream(issue);
  feed_moves(thread, number, false);
  if (issue.touches != nullptr) feed_touches(issue, number, reads, writes);
  note_release(thread, issue);
  feed_moves(thread, number, true);
  thread.moves.clear();
  for (const trace::ObjectChange& change : thread.changes) signal_pages(change, number);
  thread.changes.clear();
  note_late_store(thread, issue);
  if (!issue.discarded) check_window(issue, std::move(reads), std::move(writes));
}

/// Of an instruction whose store to a register of the tile is still under way, for when it lands.
/// One that has changed nothing there is never told of.
void TileObserver::note_late_store(ThreadView& thread, const trace::Issue& issue) {
  if (issue.state == nullptr || issue.discarded) return;
  const Author& author = issue.operation.author;
  std::erase_if(thread.late_stores, [&](const auto& one) { return one.at < author.cycle; });
  const tensix::EffectQueue& effects = issue.state->effects;
  for (u32 i = effects.count; i-- != 0;) {
    const tensix::Effect& one = effects.effect[i];
    if (one.kind != tensix::EffectKind::StoreRegister || one.thread != issue.thread ||
        one.author.pc != author.pc)
      continue;
    thread.late_stores.push_back({author.pc, one.at, static_cast<u32>(issue.op)});
    return;
  }
}

void TileObserver::check_window(const trace::Issue& issue, std::vector<Location>&& reads,
                                std::vector<Location>&& writes) {
  ThreadView& thread = threads_[issue.thread];
  race::Instruction one;
  one.site = issue.operation.author;
  if (const ThreadView::Pushed* pushed = push_of(issue.thread, issue.push); pushed != nullptr) {
    one.pushed_at = pushed->pc;
    one.gathering = pushed->gathering && one.site.origin == Origin::Queue;
    one.in_bundle = one.site.origin == Origin::Queue ? pushed->in_bundle : u8{0};
  }
  if (tensix::opcode_of(one.site.pc) == op::SFPLOADMACRO::kOpcode && issue.state != nullptr) {
    const tensix::SfpuSchedule& schedule = issue.state->sfpu.schedule;
    for (u32 i = 0; i < schedule.waiting_count; ++i) {
      const tensix::SfpuScheduled& waiting = schedule.waiting[i];
      one.macro_by_cycles |= waiting.by_instruction == 0;
      if (waiting.unit != tensix::SfpuUnit::Store) continue;
      // Where the macro has loaded, it stores, unless its address counters say otherwise.
      for (const Location& where : reads)
        if (where.place == Place::Dst) one.macro_stores.push_back(where);
    }
  }
  one.reads = std::move(reads);
  one.writes = std::move(writes);
  thread.window.issue(std::move(one));
}

}  // namespace bhemu::hazard
