#include "tensix/coprocessor.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/prefetch.hpp"
#include "tensix/cfg/cfg.hpp"
#include "tensix/conditions.hpp"
#include "tensix/data_paths.hpp"
#include "tensix/dst/dst_access.hpp"
#include "tensix/frontend/cycles.hpp"
#include "tensix/frontend/frontend.hpp"
#include "tensix/frontend/gate.hpp"
#include "tensix/frontend/known_turn.hpp"
#include "tensix/frontend/traced.hpp"
#include "tensix/frontend/ttsync.hpp"
#include "tensix/frontend/turn.hpp"
#include "tensix/frontend/waits.hpp"
#include "tensix/hash.hpp"
#include "tensix/mover/mover.hpp"
#include "tensix/perf/perf.hpp"
#include "tensix/reset.hpp"
#include "tensix/sfpu/schedule.hpp"
#include "tensix/sync/sync.hpp"
#include "tensix/watch.hpp"

namespace bhemu::tensix {
namespace {

void touch(const Environment& env, Resource resource) {
  if (env.wakeup != nullptr) env.wakeup->touch(resource);
}

[[gnu::cold]] bool raise(const Environment& env, Rule rule, const Author& author,
                         std::string text) {
  return env.faults != nullptr && env.faults->raise(rule, author, std::move(text));
}

}  // namespace

namespace {

const SparseImage<DataPaths>& nothing_known() {
  static const SparseImage<DataPaths> image([](DataPaths&) {});
  return image;
}

}  // namespace

Coprocessor::Coprocessor(const Environment& environment)
    : state_(powered_on().copy_in(environment.arena)),
      paths_(nothing_known().copy_in(environment.arena)),
      environment_(environment) {
  environment_.paths = paths_.get();
}
Coprocessor::~Coprocessor() = default;

void Coprocessor::set_timing(const Timing* timing) {
  if (timing == nullptr && environment_.timing != nullptr) {
    // The Plain build knows of nothing under way: it lands now, in order.
    land_due(*state_, environment_, kNever - 1);
    land_pieces(*state_, environment_, kNever - 1);
  }
  environment_.timing = timing;
  lend_paths();
}

/// What is worked out once for many rows belongs to the Plain build.
void Coprocessor::lend_paths() {
  // While they were not lent nobody told them of changes.
  paths_->settings_changed();
  environment_.paths = environment_.timing == nullptr && keeps_paths_ ? paths_.get() : nullptr;
}

void Coprocessor::set_shortcuts(bool bursts, bool whole_rows) {
  bursts_ = bursts;
  keeps_paths_ = whole_rows;
  lend_paths();
}

void Coprocessor::remember_turns(std::shared_ptr<frontend::TurnCache> turns) {
  turns_ = turns == nullptr ? nullptr : std::make_unique<frontend::TurnMemory>(std::move(turns));
}

TurnCounts Coprocessor::turn_counts() const {
  return turns_ == nullptr ? TurnCounts{} : turns_->counts();
}

void Coprocessor::lend(fpu::ProductRun* products) {
  paths_->products = products;
  if (products != nullptr) products->keep_courses_in(&courses_);
}

void Coprocessor::forget_products() {
  if (paths_->products != nullptr) paths_->products->forget();
}

void Coprocessor::set_observer(trace::Observer* observer) {
  watch_.reset();
  if (observer != nullptr) watch_ = std::make_unique<Watch>(*observer, environment_.node);
  environment_.watch = watch_.get();
}

u64 Coprocessor::push_number(unsigned thread, bool by_brisc) {
  return watch_->pushed(thread, by_brisc);
}

State& Coprocessor::state() {
  paths_->settings_changed();
  return *state_;
}

void Coprocessor::reset() {
  power_on(*state_);
  paths_->settings_changed();
}

// --- Instruction entry -------------------------------------------------------------------------

bool Coprocessor::can_push(unsigned thread) const {
  return frontend::may_push(state_->frontend[thread]);
}
bool Coprocessor::can_push_fused(unsigned thread) const {
  return frontend::may_push_fused(state_->frontend[thread]);
}
bool Coprocessor::can_push_from_brisc(unsigned thread) const {
  return state_->frontend[thread].brisc_fifo.size() < kBehindMopDepth;
}

void Coprocessor::push(unsigned thread, std::span<const u32> words, Cycle now) {
  touch(environment_, thread_of(thread));
  auto& fifo = state_->frontend[thread].fifo;
  for (const u32 word : words) fifo.push({now++, word, 0});  // who pushes has asked for room
  state_->asleep = false;
}

void Coprocessor::push_from_brisc(unsigned thread, u32 word, Cycle now) {
  auto& fifo = state_->frontend[thread].brisc_fifo;
  CHECK(can_push_from_brisc(thread));
  touch(environment_, thread_of(thread));
  fifo.push({now, word, 0});
  state_->asleep = false;
}

void Coprocessor::put_off_push(unsigned thread, Cycle ready, bool fused, bool by_brisc) {
  Frontend& frontend = state_->frontend[thread];
  const auto put_off = [ready](auto& fifo) -> QueuedWord& {
    QueuedWord& word = fifo.back();
    // Words stay in order.
    const Cycle before = fifo.size() > 1 ? fifo[fifo.size() - 2].pushed : 0;
    word.pushed = std::max({word.pushed, ready, before});
    return word;
  };
  if (by_brisc)
    put_off(frontend.brisc_fifo);
  else
    put_off(frontend.fifo).ends = fused ? 1 : 0;
}

void Coprocessor::count_pending_stores(unsigned thread, i32 change) {
  state_->late.pending_stores[thread] += static_cast<u32>(change);
  state_->asleep = false;
}

void Coprocessor::count_pending_commands(i32 change) {
  state_->late.pending_commands += static_cast<u32>(change);
}

bool Coprocessor::brisc_fifo_empty(unsigned thread) const {
  return state_->frontend[thread].brisc_fifo.empty();
}

void Coprocessor::discard_queued(unsigned thread) {
  discard_frontend(*state_, environment_, thread);
  state_->asleep = false;
}

// --- Time --------------------------------------------------------------------------------------

void Coprocessor::rouse() {
  state_->asleep = false;
}

bool Coprocessor::asleep() const {
  return state_->asleep;
}

namespace {

/// As frontend::run_cycles with the performance counters: one cycle at a time.
template <class Turn>
void count_cycles(State& state, const Environment& env, Turn& turn, Cycle from, Cycle until) {
  perf::Observer observer(state, from);
  for (Cycle now = from; now < until;) {
    frontend::advance(state, env, now);
    observer.before_cycle();
    u8 accepted = 0;
    if (sfpu::schedule_in_use(state)) sfpu::begin_cycle(state, env, now);
    bool changed = turn.cycle(now, accepted);
    if (sfpu::schedule_in_use(state)) {
      sfpu::end_cycle(state, now, (accepted & frontend::kAcceptSfpu) != 0);
      changed |= sfpu::schedule_advances(state);
    }
    observer.after_cycle(now);
    const Cycle next = changed ? now + 1 : frontend::next_event(state, now, env.timing != nullptr);
    state.asleep = next == kNever;
    const Cycle end = std::min(next, until);
    observer.add(now, end);
    now = end;
    frontend::land_until<Turn>(state, env, now);
  }
  frontend::advance(state, env, until);
}

}  // namespace

void Coprocessor::run(Cycle from, Cycle until) {
  if (state_->asleep) {
    frontend::advance(*state_, environment_, until);
    return;
  }
  const bool counts = perf::runs(state_->perf, state_->perf.counted);
  if (counts || environment_.timing != nullptr || !bursts_) [[unlikely]] {
    run_each_cycle(from, until, counts);
    return;
  }
  frontend::Turn turn(*state_, environment_);
  if (turns_ != nullptr && environment_.paths != nullptr && turn.has_several())
    turns_->run(turn, *state_, environment_, from, until);
  else
    turn.run(from, until);
}

void Coprocessor::run_each_cycle(Cycle from, Cycle until, bool counts) {
  if (watch_ != nullptr || !(bursts_ || counts || environment_.timing != nullptr)) [[unlikely]] {
    run_followed(from, until, nullptr);
  } else if (environment_.timing != nullptr) {
    forget_products();
    frontend::FullTurn turn(*state_, environment_);
    if (counts)
      count_cycles(*state_, environment_, turn, from, until);
    else
      frontend::run_cycles(*state_, environment_, turn, from, until);
  } else {
    frontend::Turn turn(*state_, environment_);
    count_cycles(*state_, environment_, turn, from, until);
  }
}

void Coprocessor::run_followed(Cycle from, Cycle until, trace::Port* port) {
  if (state_->asleep) {
    frontend::advance(*state_, environment_, until);
    return;
  }
  forget_products();
  frontend::TracedTurn turn(*state_, environment_, port);
  if (perf::runs(state_->perf, state_->perf.counted))
    count_cycles(*state_, environment_, turn, from, until);
  else
    frontend::run_cycles(*state_, environment_, turn, from, until);
}

// --- GPRs and configuration --------------------------------------------------------------------

u32 Coprocessor::read_gpr(unsigned thread, u32 index) const {
  return state_->thcon.gpr[thread][index % kGprs];
}

void Coprocessor::write_gpr(unsigned thread, u32 index, u32 value, Cycle, u32 byte_mask) {
  touch(environment_, Resource::Gpr);
  state_->asleep = false;
  u32& target = state_->thcon.gpr[thread][index % kGprs];
  if (byte_mask == 0xF) [[likely]] {
    target = value;
    return;
  }
  u32 mask = 0;
  for (u32 i = 0; i < 4; ++i) mask |= bit(byte_mask, i) ? 0xFFu << (8 * i) : 0;
  target = (value & mask) | (target & ~mask);
}

bool Coprocessor::read_config(u32 index, u32& value, const Author& author) const {
  value = 0;
  if (index < kConfigWindow) {
    value = read_config_window(*state_, index);
    return true;
  }
  return !raise(
      environment_, Rule::TensixConfigIndex, author,
      fmt::format("load of configuration window word {}; there are {}", index, kConfigWindow));
}

bool Coprocessor::write_config(u32 index, u32 value, const Author& author) {
  state_->asleep = false;
  if (write_config_window(*state_, environment_, author.agent, index, value, author.cycle))
    return true;
  const bool outside = index >= kConfigWindow;
  return !raise(environment_, outside ? Rule::TensixConfigIndex : Rule::TensixThreadConfigWrite,
                author,
                fmt::format("store of {:#x} to configuration window word {}", value, index));
}

// --- Semaphores and PCBufs ---------------------------------------------------------------------

u32 Coprocessor::read_semaphore(u32 semaphore) const {
  return state_->sync.semaphore[semaphore % kSemaphores].value;
}

u32 Coprocessor::semaphore_max(u32 semaphore) const {
  return state_->sync.semaphore[semaphore % kSemaphores].max;
}

void Coprocessor::write_semaphore(u32 semaphore, u32 value, Cycle) {
  touch(environment_, Resource::Semaphore);
  Semaphore& target = state_->sync.semaphore[semaphore % kSemaphores];
  if (bit(value, 0)) {
    get_semaphore(target);
    ++state_->semaphore_use[semaphore % kSemaphores].taken[SemaphoreUse::kCores];
  } else {
    post_semaphore(target);
    ++state_->semaphore_use[semaphore % kSemaphores].posted[SemaphoreUse::kCores];
  }
  state_->asleep = false;
}

bool Coprocessor::pcbuf_empty(unsigned thread) const {
  return state_->sync.pcbuf[thread].empty();
}
bool Coprocessor::pcbuf_full(unsigned thread) const {
  return state_->sync.pcbuf[thread].full();
}

void Coprocessor::pcbuf_push(unsigned thread, u32 value, Cycle) {
  CHECK(!pcbuf_full(thread));
  touch(environment_, thread_of(thread));
  state_->sync.pcbuf[thread].push(value);
}

u32 Coprocessor::pcbuf_pop(unsigned thread, Cycle) {
  touch(environment_, thread_of(thread));
  return state_->sync.pcbuf[thread].pop();
}

void Coprocessor::fetch() const {
  prefetch(*this);
  prefetch(state_->busy_until);
  __builtin_prefetch(&state_->asleep);
  __builtin_prefetch(&state_->mover.busy_until);
  __builtin_prefetch(&state_->sfpu.schedule);
  __builtin_prefetch(&paths_->products);
  for (const Frontend& frontend : state_->frontend) {
    __builtin_prefetch(&frontend.mop);
    __builtin_prefetch(&frontend.behind_mop);
    __builtin_prefetch(&frontend.fifo);
  }
}

bool Coprocessor::drained(unsigned thread) const {
  const Frontend& frontend = state_->frontend[thread];
  if (!frontend::empty(frontend) || state_->quiet_from[thread] > state_->now) return false;
  // A latched wait is no instruction in flight; but one whose condition is met is forgotten in the
  // next cycle, before any core that learns of it could change what it looks at. Cores run ahead
  // of the coprocessor within a turn, so they do not learn of it before.
  return frontend.wait.kind == WaitKind::None ||
         frontend::keep_waiting(*state_, environment_, thread, state_->now);
}

bool Coprocessor::mop_drained(unsigned thread, Cycle now) const {
  return frontend::mop_idle(state_->frontend[thread], now);
}

bool Coprocessor::holds_config(unsigned thread, u32 index, bool is_store) const {
  return index < kConfigWindow &&
         frontend::must_wait(*state_, thread, frontend::resources_of_config(*state_, thread, index),
                             is_store);
}
bool Coprocessor::holds_gprs(unsigned thread, bool is_store) const {
  const u32 resources = frontend::resources_of_gprs(*state_, thread);
  return resources != 0 && frontend::must_wait(*state_, thread, resources, is_store);
}
bool Coprocessor::holds_tdma(unsigned thread, bool is_store) const {
  return frontend::must_wait(*state_, thread, frontend::resources_of_tdma(*state_, thread),
                             is_store);
}

bool Coprocessor::raw_busy_status(unsigned thread) const {
  for (unsigned other = 0; other < kThreads; ++other) {
    if (thread != kThreads && other != thread) continue;
    if (thread_cfg::TENSIX_CSR_CONFIG_RawBusyStatus::get(state_->thread_config(other)) != 0)
      return true;
  }
  return false;
}

u32 Coprocessor::selected_stream(unsigned thread, u32 select) const {
  return thread_cfg::STREAM_ID_SYNC_SEC0_BankSel::get(state_->thread_config(thread), select & 3);
}

bool Coprocessor::write_mop_config(unsigned thread, u32 index, u32 value, const Author& author) {
  Frontend& frontend = state_->frontend[thread];
  if (index >= kMopConfigWords)
    return !raise(
        environment_, Rule::TensixConfigIndex, author,
        fmt::format("store to MOP configuration word {}; there are {}", index, kMopConfigWords));
  if (watch_ != nullptr) [[unlikely]]
    watch_->runs_ahead(*state_, thread, author.cycle);
  frontend::run_ahead(*state_, environment_, thread, author.cycle);
  if (watch_ != nullptr) [[unlikely]]
    watch_->ran_ahead(*state_, thread);
  if (frontend.mop.phase != MopPhase::Idle &&
      raise(environment_, Rule::TensixMopConfigBusy, author,
            fmt::format("word {} of thread {} written as {:#x} during an expansion", index, thread,
                        value)))
    return false;
  frontend.mop_config[index] = value;
  return true;
}

// --- Dst, TDMA ---------------------------------------------------------------------------------

bool Coprocessor::read_dst(unsigned thread, u32 offset, u32 size, u32& value,
                           const Author& author) {
  const DstWindowResult result = read_dst_window(*state_, thread, offset, size);
  value = result.value;
  return result.defined ||
         !raise(environment_, Rule::TensixUndefined, author,
                fmt::format("{}-byte load at offset {:#x} of the Dst window with this "
                            "RISC_DEST_ACCESS_CTRL",
                            size, offset));
}

bool Coprocessor::write_dst(unsigned thread, u32 offset, u32 size, u32 value,
                            const Author& author) {
  touch(environment_, Resource::Dst);
  return write_dst_window(*state_, thread, offset, size, value) ||
         !raise(environment_, Rule::TensixUndefined, author,
                fmt::format("{}-byte store at offset {:#x} of the Dst window with this "
                            "RISC_DEST_ACCESS_CTRL",
                            size, offset));
}

RegisterAccess Coprocessor::read_tdma(u32 offset, u32& value, const Author& author) {
  return read_tdma_register(*state_, environment_, offset, value, author);
}

RegisterAccess Coprocessor::write_tdma(u32 offset, u32 value, const Author& author) {
  state_->asleep = false;
  return write_tdma_register(*state_, environment_, offset, value, author);
}

bool Coprocessor::tdma_read_waits(u32 offset) const {
  return tdma_register_waits(*state_, offset);
}

bool Coprocessor::tdma_write_waits(u32 offset) const {
  return tdma_store_waits(*state_, offset);
}

Wait Coprocessor::wait_for_tdma_room() const {
  return tensix::wait_for_tdma_room(*state_);
}

bool Coprocessor::tdma_read_has_effect(u32 offset) {
  return tdma_register_pops(offset);
}

// --- Status ------------------------------------------------------------------------------------

namespace {

/// Instruction types of which the thread has an instruction in a unit (CSRs.md, tt_cfg_bstatus).
u32 executing_types(const State& state, unsigned thread) {
  struct Row {
    BusyUnit unit;
    u32 types;
  };
  constexpr u32 kTdma = 1u << 8;
  constexpr Row kRows[] = {
      {BusyUnit::Thcon, 1u << 2 | kTdma},
      {BusyUnit::Xmov, 1u << 3 | kTdma},
      {BusyUnit::Unpack0, 1u << 4 | kTdma},
      {BusyUnit::Unpack1, 1u << 4 | kTdma},
      {BusyUnit::Pack, 1u << 5 | kTdma},
      {BusyUnit::Cfg, 1u << 6},
      {BusyUnit::Sync, 1u << 7},
      {BusyUnit::Misc, kTdma},
      {BusyUnit::Sfpu, 1u << 9},
      {BusyUnit::Fpu, 1u << 10},
  };
  u32 types = 0;
  for (const Row& row : kRows) {
    if (state.busy_until[thread][static_cast<unsigned>(row.unit)] > state.now) types |= row.types;
  }
  return types;
}

}  // namespace

u32 Coprocessor::queue_status(unsigned thread) const {
  u32 all = 0;
  for (const Frontend& frontend : state_->frontend) all |= frontend::queued_types(frontend);
  const u32 own = thread < kThreads ? frontend::queued_types(state_->frontend[thread]) : all;
  const u32 lanes = any_lane_enabled(*state_) ? 1u << 11 | 1u << 24 : 0;
  return own | all << 13 | lanes;
}

u32 Coprocessor::backend_status(unsigned thread) const {
  u32 all = 0;
  u32 own = 0;
  for (unsigned i = 0; i < kThreads; ++i) {
    const u32 types = frontend::queued_types(state_->frontend[i]) | executing_types(*state_, i);
    all |= types;
    if (i == thread) own = types;
  }
  return (thread < kThreads ? own : all) | all << 11;
}

void Coprocessor::set_debug_feature_disable(u32 value) {
  touch(environment_, Resource::Dst);
  state_->cfg.debug_feature_disable = value;
  paths_->settings_changed();
}

void Coprocessor::set_soft_reset(u32 bits, Cycle now) {
  apply_soft_reset(*state_, environment_, bits, now);
  paths_->settings_changed();
  state_->asleep = false;
}

Waits Coprocessor::waiting(unsigned thread) const {
  Waits waits = waits_of(*state_, thread, state_->now);
  for (Wait& wait : waits.all)
    if (wait.kind == Awaited::ComparedWord && environment_.l1 != nullptr &&
        wait.address < environment_.l1->size() &&
        environment_.l1->has(static_cast<u32>(wait.address), 4))
      wait.value = environment_.l1->read32(static_cast<u32>(wait.address));
  return waits;
}

u64 Coprocessor::instructions_executed(unsigned thread) const {
  return state_->frontend[thread].executed;
}

void Coprocessor::archive(Archive& archive) {
  archive.value(*state_);
  if (archive.is_loading() && !archive.is_into_fresh()) *paths_ = DataPaths{};  // worked out anew
}

u64 Coprocessor::hash(u64 seed) const {
  return hash_of(*state_, seed);
}

}  // namespace bhemu::tensix
