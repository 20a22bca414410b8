// Registers that cores and the NoC reach alike: debug and control, PIC, program counters, local
// memories, NIUs, overlay. And reset, which is one of them.
#include <fmt/format.h>

#include <cstring>

#include "base/bits.hpp"
#include "tile/bus.hpp"
#include "tile/tile.hpp"

namespace bhemu::tile {
namespace {

constexpr u32 kCoreResetBits = 0x47800;
// RISCV_DEBUG_REG_DISABLE_RESET: the bit which spares a core's local memory.
constexpr std::array<unsigned, kCores> kSpareLdmBit{6, 8, 0, 2, 4};

// From here on pages that do not exist yet are worth being made in one go.
constexpr u32 kLongWrite = 64 * 1024;

// The order of the program counter snapshots, README.md "RISCV pc snapshot".
constexpr u32 kPcSnapshot = 0xFFB13138;

void warn_without_effect(FaultPort& faults, const DebugRegisterInfo& row, u32 value,
                         const Author& author) {
  if (row.kind == RegisterKind::WithoutEffect && value != 0)
    faults.raise(Rule::ConfigWithoutEffect, author,
                 fmt::format("0x{:08x} written to {}", value, row.name));
}

}  // namespace

bool Tile::refuse(Rule rule, Agent agent, u32 address, u32 pc, Cycle now, const char* text) {
  return faults().raise(rule, agent, pc, now, fmt::format("{} 0x{:08x}", text, address));
}

bool Tile::refuse_stream(Agent agent, u32 address, u32 pc, Cycle now, const char* text) {
  const char* why = streams_->refusal();
  if (why == nullptr) return refuse(Rule::TileUnmappedAddress, agent, address, pc, now, text);
  return faults().raise(Rule::NocStream, agent, pc, now,
                        fmt::format("{} 0x{:08x}: {}", text, address, why));
}

u8* Tile::ldm_at(u32 address, u32 bytes, unsigned* owner) {
  constexpr CoreId kOwners[] = {CoreId::Brisc, CoreId::Ncrisc, CoreId::Trisc0, CoreId::Trisc1,
                                CoreId::Trisc2};
  const u32 offset = address - region_info(Region::LdmB).first;
  const CoreId id = kOwners[offset / 0x2000];
  // The 4 KiB of a TRISC appear twice (README.md, "Memory map").
  const u32 inner = offset % 0x2000 % riscv::ldm_size_of(id);
  if (inner + bytes > riscv::ldm_size_of(id)) return nullptr;
  if (owner != nullptr) *owner = index(id);
  return cores_[index(id)].ldm.data() + inner;
}

namespace {

/// A read that changes what it reads: nobody may repeat it, and whoever waits has to look again.
void note_effect(bool has_effect, CoreSlot* slot, Wakeup& wakeup, Resource resource) {
  if (!has_effect) return;
  if (slot != nullptr) slot->impure = true;
  wakeup.touch(resource);
}

/// Registers beside the tile's own that only Ethernet tiles have.
constexpr bool is_of_ethernet_port(Region region) {
  switch (region) {
    case Region::RiscControl:
    case Region::EthTxq:
    case Region::EthRxq:
    case Region::EthControl:
    case Region::EthHeaders:
    case Region::EthPtp:
    case Region::EthClassifier:
    case Region::EthMac:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool Tile::load_register(u32 address, u32& value, const Author& author) {
  return read_register(author.agent, address, value, author.cycle, author.pc);
}

bool Tile::store_register(u32 address, u32 value, const Author& author) {
  return write_register(author.agent, address, value, author.cycle, author.pc);
}

bool Tile::read_register(Agent agent, u32 address, u32& value, Cycle now, u32 pc) {
  using tensix::RegisterAccess;
  const Region region = shape_.regions->at(address);
  CoreSlot* slot = slot_of(agent);
  const auto note = [slot](Resource resource) {
    if (slot != nullptr) slot->reads.add(resource);
  };
  const u32 offset = region == Region::Count ? 0 : address - region_info(region).first;
  if (is_of_ethernet_port(region)) return read_port(agent, address, value, now, pc);
  switch (region) {
    case Region::Debug:
      return read_debug(agent, offset, value, now, pc);
    case Region::Pic:
      note(Resource::Pic);
      note_effect(pic_.read_has_effect(offset), slot, wakeup_, Resource::Pic);
      value = pic_.read(offset);
      return true;
    case Region::PcSnapshot:
      if (slot != nullptr) slot->impure = true;
      value = pc_of((address - kPcSnapshot) / 4);
      return true;
    case Region::LdmB:
    case Region::LdmN:
    case Region::LdmT0:
    case Region::LdmT1:
    case Region::LdmT2: {
      if (slot != nullptr) slot->impure = true;
      std::memcpy(&value, ldm_at(address, 4), 4);
      return true;
    }
    case Region::Niu0:
    case Region::Niu1: {
      const unsigned noc = region == Region::Niu0 ? 0 : 1;
      note(niu_of(noc));
      note_effect(noc::Niu::read_has_effect(offset), slot, wakeup_, niu_of(noc));
      const auto& raised = faults().faults();
      const std::size_t before = raised.size();
      if (!nius_[noc]->read(offset, value, {agent, pc, now})) break;
      if (checks_ != nullptr && slot != nullptr)
        checks_->looked(index(core_of(agent)), noc, offset, now);
      return raised.size() == before || raised.back().severity != Severity::Error;
    }
    case Region::Overlay:
      note(Resource::Stream);
      if (slot != nullptr && slot->stream_offsets[0] != offset)
        slot->stream_offsets = {offset, slot->stream_offsets[0]};
      note_effect(noc::StreamFile::read_has_effect(offset), slot, wakeup_, Resource::Stream);
      if (streams_->read(offset, value)) {
        if (noc::StreamFile::read_has_effect(offset)) refresh_hardware_interrupts();
        return true;
      }
      value = 0;
      return !refuse_stream(agent, address, pc, now, "load from");
    case Region::Tdma:
      note(Resource::Tdma);
      if (slot != nullptr && coprocessor_->tdma_read_has_effect(offset)) slot->impure = true;
      if (const auto done = coprocessor_->read_tdma(offset, value, {agent, pc, now});
          done != RegisterAccess::Absent)
        return done == RegisterAccess::Done;
      break;
    default:
      break;
  }
  value = 0;
  return !refuse(Rule::TileUnmappedAddress, agent, address, pc, now, "load from");
}

bool Tile::write_register(Agent agent, u32 address, u32 value, Cycle now, u32 pc) {
  const Region region = shape_.regions->at(address);
  const u32 offset = region == Region::Count ? 0 : address - region_info(region).first;
  if (is_of_ethernet_port(region)) return port_->write(address, value, {agent, pc, now});
  switch (region) {
    case Region::Debug:
      return write_debug(agent, offset, value, now, pc);
    case Region::Pic: {
      wakeup_.touch(Resource::Pic);
      if (!pic_.write(offset, value))
        return !refuse(Rule::TileReadOnlyRegister, agent, address, pc, now, "store to");
      rouse_for_interrupts();
      return true;
    }
    case Region::PcSnapshot:
      return !refuse(Rule::TileReadOnlyRegister, agent, address, pc, now, "store to");
    case Region::LdmB:
    case Region::LdmN:
    case Region::LdmT0:
    case Region::LdmT1:
    case Region::LdmT2:
      wakeup_.touch(Resource::Ldm);
      std::memcpy(ldm_at(address, 4), &value, 4);
      return true;
    case Region::Niu0:
    case Region::Niu1: {
      const std::size_t before = faults().faults().size();
      if (!nius_[region == Region::Niu0 ? 0 : 1]->write(offset, value, {agent, pc, now})) break;
      // A request that breaks a rule is not sent, and its author stops at the store.
      refresh_hardware_interrupts();
      const auto& raised = faults().faults();
      return raised.size() == before || raised.back().severity != Severity::Error;
    }
    case Region::Overlay:
      if (checks_ != nullptr && check_counter(offset, value, {agent, pc, now})) return false;
      ledger_.stream_written(offset, value, agent, pc, now);
      if (trace_ != nullptr || observer_ != nullptr) [[unlikely]]
        return write_stream(address, value, {agent, pc, now});
      if (streams_->write(offset, value)) {
        rouse_coprocessor();
        refresh_hardware_interrupts();
        return true;
      }
      return !refuse_stream(agent, address, pc, now, "store to");
    case Region::Tdma:
      if (const auto access = coprocessor_->write_tdma(offset, value, {agent, pc, now});
          access != tensix::RegisterAccess::Absent)
        return access == tensix::RegisterAccess::Done;
      break;
    default:
      break;
  }
  return !refuse(Rule::TileUnmappedAddress, agent, address, pc, now, "store to");
}

bool Tile::read_debug(Agent agent, u32 offset, u32& value, Cycle now, u32 pc) {
  using namespace debug_reg;
  const DebugRegisterInfo* row = debug_register_at(offset, shape_.kind);
  const u32 address = region_info(Region::Debug).first + offset;
  CoreSlot* slot = slot_of(agent);
  value = 0;
  if (row == nullptr)
    return !refuse(Rule::TileUnmappedAddress, agent, address, pc, now, "load from");
  if (row->kind == RegisterKind::Refused)
    return !faults().raise(refusal_of(offset), agent, pc, now, fmt::format("read {}", row->name));
  if (row->access == Access::WO) return true;  // DebugTimestamper.md: TIMESTAMP reads as zero
  if (row->kind != RegisterKind::Live) {
    if (slot != nullptr) slot->reads.add(Resource::Debug);
    value = debug_.get(offset);
    if (offset == FPU_STICKY_BITS)
      faults().raise(Rule::ConfigWithoutEffect, agent, pc, now, fmt::format("read {}", row->name));
    return true;
  }
  if (slot != nullptr) slot->impure = true;
  return debug_unit_.read_live(offset, value, {agent, pc, now});
}

bool Tile::write_debug(Agent agent, u32 offset, u32 value, Cycle now, u32 pc) {
  using namespace debug_reg;
  const DebugRegisterInfo* row = debug_register_at(offset, shape_.kind);
  if (row == nullptr)
    return !refuse(Rule::TileUnmappedAddress, agent, region_info(Region::Debug).first + offset, pc,
                   now, "store to");
  if (row->access == Access::RO)
    return !faults().raise(Rule::TileReadOnlyRegister, agent, pc, now,
                           fmt::format("0x{:08x} written to {}", value, row->name));
  if (row->kind == RegisterKind::Refused) {
    if (value != 0 && faults().raise(refusal_of(offset), agent, pc, now,
                                     fmt::format("0x{:08x} written to {}", value, row->name)))
      return false;
    debug_.set(offset, value);
    return true;
  }
  warn_without_effect(faults(), *row, value, {agent, pc, now});
  wakeup_.touch(Resource::Debug);
  return debug_unit_.write_row(offset, value, {agent, pc, now});
}

// PIC.md, "Hardware IRQs".
void Tile::refresh_hardware_interrupts() {
  const auto refresh = [this](unsigned irq, bool raised) {
    if (raised == pic_.hardware(irq)) return;
    wakeup_.touch(Resource::Pic);
    pic_.set_hardware(irq, raised);
    rouse_for_interrupts();
  };
  const std::array<bool, kNocs> of_niu{nius_[0]->interrupt(), nius_[1]->interrupt()};
  refresh(0, streams_->any_finished());
  for (unsigned noc = 0; noc < kNocs; ++noc) refresh(1 + noc, of_niu[noc]);
}

void Tile::set_soft_reset(u32 value, const Author& author) {
  const u32 before = debug_.get(debug_reg::SOFT_RESET_0);
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
    if (observer_ != nullptr) follower_.tell_core(core, !held, author);
  }
}

void Tile::hold_core(unsigned core) {
  CoreSlot& slot = slots_[core];
  if (slot.status == CoreStatus::Parked)
    replay(core, std::max(wake_cycle(core), cores_[core].cycle));
  if (slot.recording || slot.status == CoreStatus::Parked) unwatch(core);
  if (trace_ != nullptr) follower_.trace_reset(core, true, wake_cycle(core));
  slot = CoreSlot{};
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
  const auto ldm = state.ldm;
  state.cycle = std::max(start, state.cycle);
  state.reset(start_pc(core));
  if (bit(debug_.get(DISABLE_RESET), kSpareLdmBit[core])) state.ldm = ldm;
  if (has_thread(id)) {
    const unsigned thread = core - index(CoreId::Trisc0);
    wakeup_.touch(thread_of(thread));
    while (!coprocessor_->pcbuf_empty(thread)) coprocessor_->pcbuf_pop(thread, state.cycle);
  }
  slots_[core] = CoreSlot{};
  slots_[core].status = CoreStatus::Running;
  slots_[core].next_probe = state.cycle;
  glances_[core] = {state.cycle, 0};
  debugger_.refresh_checked(core);
  if (trace_ != nullptr) follower_.trace_reset(core, false, 0);
}

bool Tile::noc_read(u64 address, void* target, u32 bytes, Cycle now, Agent agent) {
  if (address < l1_.size()) {
    if (!l1_.has(static_cast<u32>(address), bytes)) return false;
    l1_.read(static_cast<u32>(address), target, bytes);
    if (port_ != nullptr) show_heartbeat(static_cast<u32>(address), target, bytes, now);
    return true;
  }
  const u32 low = static_cast<u32>(address);
  const Region region = address >> 32 != 0 ? Region::Count : shape_.regions->at(low);
  if (region == Region::Count || !region_info(region).noc || !is_aligned(low, 4) ||
      bytes % 4 != 0 || bytes == 0 || low + (bytes - 1) > region_info(region).last)
    return false;
  for (u32 i = 0; i < bytes; i += 4) {
    u32 value = 0;
    // A request over the NoC is answered whatever the tile makes of it; the host is told.
    if (!read_register(agent, low + i, value, now, 0) && agent == Agent::Host) return false;
    std::memcpy(static_cast<u8*>(target) + i, &value, 4);
  }
  return true;
}

bool Tile::noc_write(u64 address, const void* source, u32 bytes, const Author& author) {
  if (address < l1_.size()) {
    if (!l1_.has(static_cast<u32>(address), bytes)) return false;
    if (bytes < kLongWrite) {
      l1_.write(static_cast<u32>(address), source, bytes, author);
    } else {
      l1_.before_write(static_cast<u32>(address), bytes, author);
      l1_.memory().fill(address, source, bytes);
    }
    return true;
  }
  const u32 low = static_cast<u32>(address);
  const Region region = address >> 32 != 0 ? Region::Count : shape_.regions->at(low);
  if (region == Region::Count || !region_info(region).noc || !is_aligned(low, 4) ||
      bytes % 4 != 0 || bytes == 0 || low + (bytes - 1) > region_info(region).last)
    return false;
  for (u32 i = 0; i < bytes; i += 4) {
    u32 value;
    std::memcpy(&value, static_cast<const u8*>(source) + i, 4);
    if (!write_register(author.agent, low + i, value, author.cycle, author.pc) &&
        author.agent == Agent::Host)
      return false;
  }
  return true;
}

}  // namespace bhemu::tile
