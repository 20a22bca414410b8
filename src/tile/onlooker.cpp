// What a tile does for a debugger that stops time (onlooker.hpp): each instruction is shown before
// it is executed, and state is read and written between two of them, without side effects.
#include "tile/onlooker.hpp"

#include <algorithm>
#include <cstring>

#include "base/bits.hpp"
#include "tensix/cfg/cfg.hpp"
#include "tile/bus.hpp"
#include "tile/tile.hpp"

namespace bhemu::tile {
namespace {

constexpr u32 kSemaphores = 0x20;
constexpr u32 kSemaphoresEnd = 0x40;

}  // namespace

/// As execute() or execute_recorded() between the same points of the schedule, with a look before
/// each instruction.
riscv::Outcome Tile::run_looked_at(unsigned core, bool followed) {
  riscv::CoreState& state = cores_[core];
  CoreSlot& slot = slots_[core];
  const auto step = [&] {
    onlooker_->before_instruction(*this, core);
    if (followed || late_ != nullptr) return step_followed(core);
    return slot.recording ? execute_recorded(core, state.cycle + 1)
                          : execute(core, state.cycle + 1);
  };
  if (slot.recording) {
    const riscv::Outcome outcome = step();
    recording_buses_[core]->attention = buses_[core]->attention = false;
    check_recording(core);
    return outcome;
  }
  const Cycle end = turn_end_;
  riscv::Outcome outcome = riscv::Outcome::Ok;
  do {
    if (stops_before_step(core)) break;
    outcome = step();
  } while (outcome == riscv::Outcome::Ok && !buses_[core]->attention && state.cycle < end &&
           onlooker_ != nullptr);
  buses_[core]->attention = false;
  return outcome;
}

void Tile::observe(u32 address, u32 bytes, bool observed) {
  if (bytes == 0 || !l1_.has(address, bytes)) return;
  for (u32 line = address >> L1::kLineShift; line <= (address + bytes - 1) >> L1::kLineShift;
       ++line) {
    const u32 first = line << L1::kLineShift;
    if (observed)
      l1_.set_flag(first, L1::kLookedAt);
    else
      l1_.clear_flag(first, L1::kLookedAt);
  }
}

void Tile::rouse_parked(Cycle now) {
  settle(now);
  for (unsigned core = 0; core < kCores; ++core)
    if (slots_[core].status == CoreStatus::Parked) wake_core(core);
}

void Tile::keep_awake(unsigned core) {
  if (slots_[core].recording) slots_[core].impure = true;
}

riscv::CoreState& Tile::state_for_debugger(unsigned core) {
  if (slots_[core].status == CoreStatus::Parked) wake_core(core);
  if (slots_[core].recording) stop_recording(core, true);
  cores_[core].is_new = false;
  return cores_[core];
}

/// Registers that may be read as often as one likes, whoever looks.
bool Tile::look_at_register(unsigned core, u32 address, u32& value) {
  const Region region = shape_.regions->at(address);
  if (region == Region::Count) return false;
  const u32 offset = address - region_info(region).first;
  const unsigned trisc = index(CoreId::Trisc0);
  switch (region) {
    case Region::Gpr: {
      const unsigned owner = core >= trisc ? core - trisc : offset >> 8;
      if (owner >= kThreads) return false;
      value = coprocessor_->read_gpr(owner, offset / 4 % 64);
      return true;
    }
    case Region::Config:
      return offset / 4 < tensix::kConfigWindow &&
             coprocessor_->read_config(offset / 4, value, {Agent::Host, 0, now_});
    case Region::PcBuf0:
      if (offset < kSemaphores || offset >= kSemaphoresEnd) return false;
      value = coprocessor_->read_semaphore((offset - kSemaphores) / 4);
      return true;
    case Region::Debug: {
      const DebugRegisterInfo* row = debug_register_at(offset, shape_.kind);
      if (row == nullptr || row->access == Access::WO || row->kind == RegisterKind::Live ||
          row->kind == RegisterKind::Refused)
        return false;
      value = debug_.get(offset);
      return true;
    }
    case Region::Pic:
      if (pic_.read_has_effect(offset)) return false;
      value = pic_.read(offset);
      return true;
    case Region::LdmB:
    case Region::LdmN:
    case Region::LdmT0:
    case Region::LdmT1:
    case Region::LdmT2: {
      const u8* bytes = registers_.ldm_at(address, 4);
      if (bytes == nullptr) return false;
      std::memcpy(&value, bytes, 4);
      return true;
    }
    case Region::Niu0:
    case Region::Niu1:
      return !noc::Niu::read_has_effect(offset) &&
             nius_[region == Region::Niu0 ? 0 : 1]->look(offset, value);
    case Region::Overlay:
      return !noc::StreamFile::read_has_effect(offset) && streams_->read(offset, value);
    default:
      return false;
  }
}

bool Tile::look(CoreId id, u32 address, std::span<u8> bytes) {
  const u32 count = static_cast<u32>(bytes.size());
  if (l1_.has(address, count)) {
    l1_.read(address, bytes.data(), count);
    return true;
  }
  const unsigned core = index(id);
  const u32 local = address - riscv::kLdmBase;
  const u32 size = riscv::ldm_size_of(id);
  if (local < size) {
    if (count > size - local) return false;
    std::memcpy(bytes.data(), &cores_[core].ldm[local], count);
    return true;
  }
  for (u32 done = 0; done < count;) {
    const u32 at = address + done;
    u32 word = 0;
    if (at < address || !look_at_register(core, at & ~3u, word)) return false;
    const u32 skip = at % 4;
    const u32 part = std::min(4 - skip, count - done);
    std::memcpy(bytes.data() + done, reinterpret_cast<const u8*>(&word) + skip, part);
    done += part;
  }
  return true;
}

bool Tile::poke(CoreId id, u32 address, std::span<const u8> bytes) {
  const u32 count = static_cast<u32>(bytes.size());
  if (l1_.has(address, count)) {
    l1_.write(address, bytes.data(), count, {Agent::Host, 0, now_});
    return true;
  }
  const u32 local = address - riscv::kLdmBase;
  const u32 size = riscv::ldm_size_of(id);
  if (local >= size || count > size - local) return false;
  wakeup_.touch(Resource::Ldm);
  riscv::CoreState& state = state_for_debugger(index(id));
  state.ldm_is_zero = false;
  std::memcpy(&state.ldm[local], bytes.data(), count);
  return true;
}

}  // namespace bhemu::tile
