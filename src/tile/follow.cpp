#include "tile/follow.hpp"

#include "base/bits.hpp"
#include "riscv/data_cache.hpp"
#include "riscv/decode.hpp"

namespace bhemu::tile {

Follower::Follower(const Environment& environment) : env_(environment) {}
Follower::~Follower() = default;

Follower::Following& Follower::following() {
  if (following_ == nullptr) following_ = std::make_unique<Following>();
  return *following_;
}

bool Follower::begin_epoch(Cycle now, Cycle until) {
  traces_ = env_.trace != nullptr && env_.trace->covers(now, until);
  if (traces_) open_stalls();
  return traces_ || env_.observer != nullptr;
}

void Follower::observer_changed() {
  wanted_ =
      env_.observer != nullptr ? env_.observer->wanted_instructions() : trace::Instructions::All;
  leaves_out_loads_ = wanted_ == trace::Instructions::Effects && env_.data_caches == nullptr;
}

bool Follower::tells_all(unsigned core) {
  return (traces_ && env_.trace->follows(core)) || wanted_ == trace::Instructions::All;
}

void Follower::begin(unsigned core, DataCaches::Stale& stale) {
  const riscv::CoreState& state = env_.cores[core];
  Following& following = this->following();
  Step& step = following.steps[core];
  step.core = core;
  step.cycle = state.cycle;
  step.pc = state.pc;
  step.word = riscv::is_instruction_address(step.pc, env_.l1.size()) ? env_.l1.read32(step.pc) : 0;
  step.kind = &following.kinds.at(step.pc, step.word);
  step.tells = env_.observer != nullptr &&
               (wanted_ > trace::Instructions::Accesses || step.kind->reach != riscv::Reach::None);
  env_.slots[core].block = BlockKind::None;
  if (!step.tells && env_.trace == nullptr && env_.data_caches == nullptr) return;
  step.effect = riscv::effect_of(state, *step.kind);
  step.vector.reset();
  if (step.effect.reach == riscv::Reach::Vector && env_.shape.core[core] == CoreId::Trisc2) {
    step.vector.emplace();
    if (riscv::plan_vector_access(state, step.word, *step.vector) != riscv::VectorResult::Ok)
      step.vector.reset();
  }
  step.mark = env_.trace != nullptr ? env_.trace->mark() : 0;
  if (leaves_out_loads_ && step.effect.reach == riscv::Reach::Load &&
      is_memory(core, step.effect.address, step.effect.size))
    step.tells = false;
  if (step.tells) begin_step(step);
  if (env_.data_caches != nullptr) look_into_cache(step, stale);
}

void Follower::end(unsigned core, riscv::Outcome outcome) {
  Step& step = following_->steps[core];
  if (outcome == riscv::Outcome::Ok && step.tells) end_step(step);
  if (env_.trace == nullptr || !env_.trace->follows(core)) return;
  if (outcome == riscv::Outcome::Ok)
    trace_step(step);
  else
    env_.trace->end_repeats(core);
}

bool Follower::wants_wait(unsigned core) const {
  return env_.slots[core].block != BlockKind::None && env_.trace != nullptr &&
         env_.trace->follows(core) && !env_.trace->stall(core).open;
}

/// Loads that hit get what the core's data cache holds; what flushes it or drops a line does so.
/// An instruction that is tried again because it had to wait comes here each time.
void Follower::look_into_cache(const Step& step, DataCaches::Stale& stale) {
  constexpr u32 kMiscMem = 0x0F;
  constexpr u32 kDisLowCachePeriodicFlush = 24;  // of cfg0 (CSRs.md)
  const u32 opcode = step.word & 0x7F;
  const riscv::CsrState& csr = env_.cores[step.core].csr;
  if (!riscv::has_data_cache(csr) || opcode == kMiscMem ||
      step.effect.reach == riscv::Reach::Atomic)
    return env_.data_caches->flush(step.core);
  const auto access = [&](u32 address, u32 bytes, bool store) {
    if (!env_.l1.has(address, bytes)) return;
    if (store) return env_.data_caches->store(step.core, address, bytes);
    env_.data_caches->load(step.core, address, bytes, step.cycle,
                           !bit(csr.cfg0, kDisLowCachePeriodicFlush), stale);
  };
  if (step.vector) {
    for (u32 i = 0; i < step.vector->count; ++i)
      access(step.vector->element[i].address, step.vector->bytes, step.vector->store);
  } else if (step.effect.reach == riscv::Reach::Load || step.effect.reach == riscv::Reach::Store) {
    access(step.effect.address, step.effect.size, step.effect.reach == riscv::Reach::Store);
  }
  // A loop that reads old bytes goes on when the cache is flushed, not when L1 changes.
  if (stale.any()) env_.slots[step.core].impure = true;
}

/// `tells`: plain instructions are told of in stretches (Instructions::NotPlain).
template <bool tells>
Follower::Untold Follower::Following::look_ahead(Follower& follower, unsigned core, Cycle end) {
  using Plain = riscv::Kind::Plain;
  constexpr u32 kStackPointer = 2;
  const riscv::CoreState& state = follower.env_.cores[core];
  const L1& l1 = follower.env_.l1;
  const riscv::CodeLines& code = follower.env_.code;
  u32 written = 0;  // integer registers, by the instructions that are left out
  u32 pc = state.pc;
  if (pc % 4 != 0) return {state.cycle};
  Untold untold{state.cycle};
  u32 last = pc;
  for (; untold.until < end && pc < l1.size(); pc += 4) {
    // There the schedule may want to look for a loop first, or find out that there is one.
    if (pc != state.pc && (!code.has_decoded(pc) || code.is_head(pc, l1.data()))) break;
    const u32 word = l1.read32(pc);
    const riscv::Kinds::Outline& outline = kinds.outline_at(pc, word);
    if (outline.plain == Plain::No || (tells && outline.rd == kStackPointer)) {
      untold.told = pc;
      break;
    }
    if (outline.plain == Plain::Loads) {
      const riscv::Kind& kind = kinds.at(pc, word);
      const u32 address = state.x[outline.rs1] + static_cast<u32>(kind.offset);
      if (bit(written, outline.rs1) || !follower.leaves_out_loads_ ||
          !follower.is_memory(core, address, kind.size))
        break;
    }
    ++untold.until;
    last = pc;
    if (outline.plain == Plain::Leaves) break;
    written |= 1u << outline.rd & ~1u;
  }
  if (tells && untold.until != state.cycle) {
    const Author author{follower.agent(core), state.pc, state.cycle, follower.env_.node};
    stretch = {core, author, last, &state};
    follower.env_.observer->runs(stretch);
  }
  return untold;
}

Follower::Untold Follower::untold_until(unsigned core, Cycle end) {
  Following& following = this->following();
  if (wanted_ == trace::Instructions::NotPlain) return following.look_ahead<true>(*this, core, end);
  return following.look_ahead<false>(*this, core, end);
}

/// L1 or the core's own local memory, and aligned.
bool Follower::is_memory(unsigned core, u32 address, u32 bytes) const {
  if ((address & (bytes - 1)) != 0) return false;
  if (env_.l1.has(address, bytes)) return true;
  const u32 offset = address - (*env_.shape.regions)[Region::OwnLdm].first;
  return offset < riscv::ldm_size_of(env_.shape.core[core]);
}

void Follower::ran() {
  if (wanted_ == trace::Instructions::NotPlain) env_.observer->ran(following_->stretch);
}

/// A store to the queue of a thread, or a `.ttinsn`, was carried out: which thread has its word.
std::optional<unsigned> Follower::thread_pushed_to(unsigned core,
                                                   const riscv::Effect& effect) const {
  unsigned thread =
      core < index(CoreId::Trisc0) ? 0 : core - index(CoreId::Trisc0);  // its own, at InstrnBuf0
  if (effect.reach != riscv::Reach::Tensix) {
    const Region region = effect.reach == riscv::Reach::Store
                              ? env_.shape.regions->at(effect.address)
                              : Region::Count;
    if (region == Region::InstrnBuf1 || region == Region::InstrnBuf2)
      thread = region == Region::InstrnBuf1 ? 1 : 2;
    else if (region != Region::InstrnBuf0)
      return std::nullopt;
  }
  // While the debug bus owns the FIFO, what cores push is lost (core_access.cpp).
  if (bit(env_.registers.get(debug_reg::DBG_INSTRN_BUF_CTRL0), thread)) return std::nullopt;
  return thread;
}

}  // namespace bhemu::tile
