// The followed schedule, for a trace or an observer. Nothing here changes what happens: a followed
// core executes the same instructions one by one, and goes to sleep and wakes as it would without.
// The one exception is asked for: data caches (data_cache.hpp).
#include "tile/follow.hpp"

#include "base/bits.hpp"
#include "riscv/data_cache.hpp"
#include "tile/bus.hpp"

namespace bhemu::tile {

Tile::Following& Tile::following() {
  if (following_ == nullptr) following_ = std::make_unique<Following>();
  return *following_;
}

/// One instruction of a core that is followed.
riscv::Outcome Tile::step_followed(unsigned core) {
  if (late_ != nullptr && !follows(core)) return execute_late(core);
  riscv::CoreState& state = cores_[core];
  CoreSlot& slot = slots_[core];
  Following& following = this->following();
  Step& step = following.steps[core];
  step.core = core;
  step.cycle = state.cycle;
  step.pc = state.pc;
  step.word = riscv::is_instruction_address(step.pc, l1_.size()) ? l1_.read32(step.pc) : 0;
  step.kind = &following.kinds.at(step.pc, step.word);
  step.effect = riscv::effect_of(state, *step.kind);
  step.vector.reset();
  if (step.effect.reach == riscv::Reach::Vector && shape_.core[core] == CoreId::Trisc2) {
    step.vector.emplace();
    if (riscv::plan_vector_access(state, step.word, *step.vector) != riscv::VectorResult::Ok)
      step.vector.reset();
  }
  const std::size_t mark = trace_ != nullptr ? trace_->mark() : 0;
  const bool tells =
      observer_ != nullptr && (following.tells_all || step.effect.reach != riscv::Reach::None);
  if (tells) begin_step(step);
  slot.block = BlockKind::None;

  DataCaches::Stale stale(l1_);
  if (data_caches_ != nullptr) look_into_cache(step, stale);
  const riscv::Outcome outcome = late_ != nullptr ? execute_late(core)
                                 : slot.recording ? execute_recorded(core, step.cycle + 1)
                                                  : execute(core, step.cycle + 1);

  if (outcome == riscv::Outcome::Ok && tells) end_step(step);
  if (trace_ == nullptr || !trace_->follows(core)) return outcome;
  if (outcome == riscv::Outcome::Ok) {
    trace_step(step, mark);
  } else {
    trace_->end_repeats(core);
    if (outcome == riscv::Outcome::Blocked && slot.block != BlockKind::None) trace_block(core);
  }
  return outcome;
}

/// Loads that hit get what the core's data cache holds; what flushes it or drops a line does so.
/// An instruction that is tried again because it had to wait comes here each time.
void Tile::look_into_cache(const Step& step, DataCaches::Stale& stale) {
  constexpr u32 kMiscMem = 0x0F;
  constexpr u32 kDisLowCachePeriodicFlush = 24;  // of cfg0 (CSRs.md)
  const u32 opcode = step.word & 0x7F;
  const riscv::CsrState& csr = cores_[step.core].csr;
  if (!riscv::has_data_cache(csr) || opcode == kMiscMem ||
      step.effect.reach == riscv::Reach::Atomic)
    return data_caches_->flush(step.core);
  const auto access = [&](u32 address, u32 bytes, bool store) {
    if (!l1_.has(address, bytes)) return;
    if (store) return data_caches_->store(step.core, address, bytes);
    data_caches_->load(step.core, address, bytes, step.cycle,
                       !bit(csr.cfg0, kDisLowCachePeriodicFlush), stale);
  };
  if (step.vector) {
    for (u32 i = 0; i < step.vector->count; ++i)
      access(step.vector->element[i].address, step.vector->bytes, step.vector->store);
  } else if (step.effect.reach == riscv::Reach::Load || step.effect.reach == riscv::Reach::Store) {
    access(step.effect.address, step.effect.size, step.effect.reach == riscv::Reach::Store);
  }
  // A loop that reads old bytes goes on when the cache is flushed, not when L1 changes.
  if (stale.any()) slots_[step.core].impure = true;
}

/// Up to there the core does nothing but arithmetic, with a jump at the end perhaps.
Cycle Tile::untold_until(unsigned core, Cycle end) {
  const riscv::CoreState& state = cores_[core];
  riscv::Kinds& kinds = following_->kinds;
  u32 pc = state.pc;
  Cycle at = state.cycle;
  while (at < end && riscv::is_instruction_address(pc, l1_.size())) {
    const riscv::Kind::Plain plain = kinds.at(pc, l1_.read32(pc)).plain;
    if (plain == riscv::Kind::Plain::No) break;
    ++at;
    pc += 4;
    if (plain == riscv::Kind::Plain::Leaves) break;
  }
  return at;
}

/// What run_core would do without being followed, and no less between two looks at the schedule:
/// when a core is found to repeat itself decides when a hang is noticed.
riscv::Outcome Tile::run_followed(unsigned core) {
  riscv::CoreState& state = cores_[core];
  if (slots_[core].recording) {
    const riscv::Outcome outcome = step_followed(core);
    recording_buses_[core]->attention = false;
    check_recording(core);
    return outcome;
  }
  const Cycle end = turn_end_;
  const bool traced = traces_ && trace_->follows(core);
  const bool tells_all = traced || late_ != nullptr || following().tells_all;
  riscv::Outcome outcome;
  do {
    const Cycle until = tells_all ? state.cycle : untold_until(core, end);
    outcome = until == state.cycle ? step_followed(core) : execute(core, until);
  } while (outcome == riscv::Outcome::Ok && !buses_[core]->attention && state.cycle < end);
  buses_[core]->attention = false;
  return outcome;
}

void Tile::run_coprocessor_followed(Cycle begin) {
  trace::Port* port = traces_ && trace_->follows_threads() ? trace_ : nullptr;
  if (port != nullptr || observer_ != nullptr)
    coprocessor_->run_followed(begin, turn_end_, port);
  else
    coprocessor_->run(begin, turn_end_);
}

/// A store to the queue of a thread, or a `.ttinsn`, was carried out: which thread has its word.
std::optional<unsigned> Tile::thread_pushed_to(unsigned core, const riscv::Effect& effect) const {
  unsigned thread =
      core < index(CoreId::Trisc0) ? 0 : core - index(CoreId::Trisc0);  // its own, at InstrnBuf0
  if (effect.reach != riscv::Reach::Tensix) {
    const Region region =
        effect.reach == riscv::Reach::Store ? shape_.regions->at(effect.address) : Region::Count;
    if (region == Region::InstrnBuf1 || region == Region::InstrnBuf2)
      thread = region == Region::InstrnBuf1 ? 1 : 2;
    else if (region != Region::InstrnBuf0)
      return std::nullopt;
  }
  // While the debug bus owns the FIFO, what cores push is lost (mmio.cpp).
  if (bit(debug_.get(debug_reg::DBG_INSTRN_BUF_CTRL0), thread)) return std::nullopt;
  return thread;
}

}  // namespace bhemu::tile
