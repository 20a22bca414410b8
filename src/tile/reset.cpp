// Reset of the cores, which is a register: RISCV_DEBUG_REG_SOFT_RESET_0 (SoftReset.md).
#include <algorithm>
#include <optional>
#include <utility>

#include "base/bits.hpp"
#include "tile/bus.hpp"
#include "tile/tile.hpp"

namespace bhemu::tile {
namespace {

constexpr u32 kCoreResetBits = 0x47800;
// RISCV_DEBUG_REG_DISABLE_RESET: the bit which spares a core's local memory.
constexpr std::array<unsigned, kCores> kSpareLdmBit{6, 8, 0, 2, 4};

// What a core begins with is hardly ever its loop: looking for one at once would find none and take
// as long as it lasts to look.
constexpr Cycle kIntoLoop = 16;
// A core that is known to work for longer before it waits may wait earlier this time; chosen, not
// measured.
constexpr Cycle kLongestWork = 8192;

}  // namespace

void Tile::set_soft_reset(u32 value, const Author& author) {
  const u32 before = debug_.get(debug_reg::SOFT_RESET_0);
  u32 released = 0;
  for (unsigned core = 0; core < shape_.cores; ++core)
    released |= u32{bit(before & ~value, shape_.reset_bit[core])} << core;
  fetch_cores(released);
  debug_.set(debug_reg::SOFT_RESET_0, value & 0xFFFFFF);
  if (coprocessor_ != nullptr)
    coprocessor_->set_soft_reset(value & 0xFFFFFF & ~kCoreResetBits, author.cycle);
  for (unsigned core = 0; core < shape_.cores; ++core) {
    const bool held = bit(value, shape_.reset_bit[core]);
    if (held == bit(before, shape_.reset_bit[core])) continue;
    if (held)
      hold_core(core);
    else
      release_core(core);
    if (observer_ != nullptr) [[unlikely]]
      follower_.tell_core(core, !held, author);
  }
}

void Tile::hold_core(unsigned core) {
  CoreSlot& slot = slots_[core];
  if (slot.status == CoreStatus::Parked)
    replay(core, std::max(wake_cycle(core), cores_[core].cycle));
  if (slot.recording || slot.status == CoreStatus::Parked) unwatch(core);
  if (trace_ != nullptr) [[unlikely]]
    follower_.trace_reset(core, true, wake_cycle(core));
  slot.restart();
  debugger_.hold(core);
  update_watched();
  const CoreId id = shape_.core[core];
  if (const auto end = Mailboxes::end_of(id)) {
    wakeup_.touch(Resource::Mailbox);
    mailboxes_.discard_from(*end);
  }
  if (has_thread(id)) coprocessor_->discard_queued(core - index(CoreId::Trisc0));
}

u32 Tile::start_pc(unsigned core) const {
  using namespace debug_reg;
  constexpr std::array<u32, kCores> kDefaultPc{0, 0x12000, 0x6000, 0xA000, 0xE000};
  constexpr std::array<u32, kCores> kPcRegister{0, NCRISC_RESET_PC, TRISC0_RESET_PC,
                                                TRISC1_RESET_PC, TRISC2_RESET_PC};
  const CoreId id = shape_.core[core];
  if (port_ != nullptr) return port_->start_pc(core);
  bool override_pc = false;
  if (id == CoreId::Ncrisc) override_pc = bit(debug_.get(NCRISC_RESET_PC_OVERRIDE), 0);
  if (id >= CoreId::Trisc0)
    override_pc = bit(debug_.get(TRISC_RESET_PC_OVERRIDE), core - index(CoreId::Trisc0));
  return override_pc ? debug_.get(kPcRegister[core]) : kDefaultPc[core];
}

void Tile::release_core(unsigned core) {
  using namespace debug_reg;
  const CoreId id = shape_.core[core];
  riscv::CoreState& state = cores_[core];
  const Cycle start =
      position_ == kOutside
          ? now_
          : nominal_end(position_ < kCores ? cores_[position_].cycle : turn_end_ - 1);
  state.cycle = std::max(start, state.cycle);
  state.reset(start_pc(core), bit(debug_.get(DISABLE_RESET), kSpareLdmBit[core]));
  if (has_thread(id)) {
    const unsigned thread = core - index(CoreId::Trisc0);
    wakeup_.touch(thread_of(thread));
    while (!coprocessor_->pcbuf_empty(thread)) coprocessor_->pcbuf_pop(thread, state.cycle);
  }
  slots_[core].restart();
  slots_[core].status = CoreStatus::Running;
  begin_work(core);
  debugger_.refresh_checked(core);
  if (trace_ != nullptr) [[unlikely]]
    follower_.trace_reset(core, false, 0);
}

/// The core leaves reset. If others that began alike are known to have worked for a while before
/// they were parked, to look for a loop in which it waits would be in vain until then.
void Tile::begin_work(unsigned core) {
  CoreSlot& slot = slots_[core];
  const riscv::CoreState& state = cores_[core];
  Cycle works_for = 0;
  if (riscv::is_instruction_address(state.pc, l1_.size())) {
    slot.start = riscv::CodeLines::start_at(state.pc, l1_.data());
    // The host lets it loose between epochs.
    const std::optional<Cycle> until = outbox_ == nullptr ? std::optional(now_) : std::nullopt;
    works_for = std::min(lines_.first_wait(slot.start, until), kLongestWork);
    slot.start_cycle = works_for == 0 ? state.cycle : kNever;  // otherwise it is told already
  }
  slot.next_probe = state.cycle + std::max(kIntoLoop, works_for);
  glances_[core] = {state.cycle + works_for, 0};
}

/// The core is parked.
void Tile::note_wait(unsigned core) {
  CoreSlot& slot = slots_[core];
  if (slot.start_cycle == kNever) return;
  const Cycle began = std::exchange(slot.start_cycle, kNever);
  lines_.tell_of_wait(slot.start, cores_[core].cycle - began);
}

}  // namespace bhemu::tile
