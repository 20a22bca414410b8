#include "tile/register_space.hpp"

#include <fmt/format.h>

#include <cstring>

#include "base/bits.hpp"

namespace bhemu::tile {
namespace {

// The order of the program counter snapshots, README.md "RISCV pc snapshot".
constexpr u32 kPcSnapshot = 0xFFB13138;

void warn_without_effect(FaultPort& faults, const DebugRegisterInfo& row, u32 value,
                         const Author& author) {
  if (row.kind == RegisterKind::WithoutEffect && value != 0)
    faults.raise(Rule::ConfigWithoutEffect, author,
                 fmt::format("0x{:08x} written to {}", value, row.name));
}

}  // namespace

bool RegisterSpace::refuse(Rule rule, Agent agent, u32 address, u32 pc, Cycle now,
                           const char* text) {
  return env_.faults.raise(rule, agent, pc, now, fmt::format("{} 0x{:08x}", text, address));
}

bool RegisterSpace::refuse_stream(Agent agent, u32 address, u32 pc, Cycle now, const char* text) {
  const char* why = env_.streams->refusal();
  if (why == nullptr) return refuse(Rule::TileUnmappedAddress, agent, address, pc, now, text);
  return env_.faults.raise(Rule::NocStream, agent, pc, now,
                           fmt::format("{} 0x{:08x}: {}", text, address, why));
}

u8* RegisterSpace::ldm_at(u32 address, u32 bytes, unsigned* owner) {
  constexpr CoreId kOwners[] = {CoreId::Brisc, CoreId::Ncrisc, CoreId::Trisc0, CoreId::Trisc1,
                                CoreId::Trisc2};
  const u32 offset = address - info(Region::LdmB).first;
  const CoreId id = kOwners[offset / 0x2000];
  // The 4 KiB of a TRISC appear twice (README.md, "Memory map").
  const u32 inner = offset % 0x2000 % riscv::ldm_size_of(id);
  if (inner + bytes > riscv::ldm_size_of(id)) return nullptr;
  if (owner != nullptr) *owner = index_of(id);
  return env_.cores[index_of(id)].ldm.data() + inner;
}

void RegisterSpace::store_ldm(u32 address, u32 size, u32 value) {
  unsigned owner = 0;
  u8* const bytes = ldm_at(address, size, &owner);
  env_.wakeup.touch(Resource::Ldm);
  env_.cores[owner].ldm_is_zero = false;
  std::memcpy(bytes, &value, size);
}

namespace {

/// A read that has an effect: its loop cannot be parked, and waits for the resource are woken.
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

bool RegisterSpace::read(Agent agent, u32 address, u32& value, Cycle now, u32 pc) {
  using tensix::RegisterAccess;
  const Region region = env_.shape.regions->at(address);
  CoreSlot* slot = slot_of(agent);
  const auto note = [slot](Resource resource) {
    if (slot != nullptr) slot->reads.add(resource);
  };
  const u32 offset = region == Region::Count ? 0 : address - info(region).first;
  if (is_of_ethernet_port(region)) return read_port(agent, address, value, now, pc);
  switch (region) {
    case Region::Debug:
      return read_debug(agent, offset, value, now, pc);
    case Region::Pic:
      note(Resource::Pic);
      note_effect(env_.pic.read_has_effect(offset), slot, env_.wakeup, Resource::Pic);
      value = env_.pic.read(offset);
      return true;
    case Region::PcSnapshot:
      if (slot != nullptr) slot->impure = true;
      value = env_.host.pc_of((address - kPcSnapshot) / 4);
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
      note_effect(noc::Niu::read_has_effect(offset), slot, env_.wakeup, niu_of(noc));
      const auto& raised = env_.faults.faults();
      const std::size_t before = raised.size();
      if (!env_.nius[noc]->read(offset, value, {agent, pc, now})) break;
      if (env_.checks != nullptr && slot != nullptr)
        env_.checks->looked(index_of(core_of(agent)), noc, offset, now);
      return raised.size() == before || raised.back().severity != Severity::Error;
    }
    case Region::Overlay:
      note(Resource::Stream);
      if (slot != nullptr && slot->stream_offsets[0] != offset)
        slot->stream_offsets = {offset, slot->stream_offsets[0]};
      note_effect(noc::StreamFile::read_has_effect(offset), slot, env_.wakeup, Resource::Stream);
      if (env_.streams->read(offset, value)) {
        if (noc::StreamFile::read_has_effect(offset)) refresh_hardware_interrupts();
        return true;
      }
      value = 0;
      return !refuse_stream(agent, address, pc, now, "load from");
    case Region::Tdma:
      note(Resource::Tdma);
      if (slot != nullptr && env_.coprocessor->tdma_read_has_effect(offset)) slot->impure = true;
      if (const auto done = env_.coprocessor->read_tdma(offset, value, {agent, pc, now});
          done != RegisterAccess::Absent)
        return done == RegisterAccess::Done;
      break;
    default:
      break;
  }
  value = 0;
  return !refuse(Rule::TileUnmappedAddress, agent, address, pc, now, "load from");
}

bool RegisterSpace::write(Agent agent, u32 address, u32 value, Cycle now, u32 pc) {
  const Region region = env_.shape.regions->at(address);
  const u32 offset = region == Region::Count ? 0 : address - info(region).first;
  if (is_of_ethernet_port(region)) return env_.port->write(address, value, {agent, pc, now});
  switch (region) {
    case Region::Debug:
      return write_debug(agent, offset, value, now, pc);
    case Region::Pic: {
      env_.wakeup.touch(Resource::Pic);
      if (!env_.pic.write(offset, value))
        return !refuse(Rule::TileReadOnlyRegister, agent, address, pc, now, "store to");
      env_.host.rouse_for_interrupts();
      return true;
    }
    case Region::PcSnapshot:
      return !refuse(Rule::TileReadOnlyRegister, agent, address, pc, now, "store to");
    case Region::LdmB:
    case Region::LdmN:
    case Region::LdmT0:
    case Region::LdmT1:
    case Region::LdmT2:
      store_ldm(address, 4, value);
      return true;
    case Region::Niu0:
    case Region::Niu1: {
      const std::size_t before = env_.faults.faults().size();
      if (!env_.nius[region == Region::Niu0 ? 0 : 1]->write(offset, value, {agent, pc, now})) break;
      // A request that breaks a rule is not sent, and its author stops at the store.
      refresh_hardware_interrupts();
      const auto& raised = env_.faults.faults();
      return raised.size() == before || raised.back().severity != Severity::Error;
    }
    case Region::Overlay:
      if (env_.checks != nullptr && check_counter(offset, value, {agent, pc, now})) return false;
      env_.ledger.stream_written(offset, value, agent, pc, now);
      if (env_.trace != nullptr || env_.observer != nullptr) [[unlikely]]
        return write_stream(address, value, {agent, pc, now});
      if (const bool counts = env_.only_counts(offset); env_.streams->write(offset, value)) {
        if (!counts) stream_changed();
        return true;
      }
      return !refuse_stream(agent, address, pc, now, "store to");
    case Region::Tdma:
      if (const auto access = env_.coprocessor->write_tdma(offset, value, {agent, pc, now});
          access != tensix::RegisterAccess::Absent)
        return access == tensix::RegisterAccess::Done;
      break;
    default:
      break;
  }
  return !refuse(Rule::TileUnmappedAddress, agent, address, pc, now, "store to");
}

bool RegisterSpace::read_debug(Agent agent, u32 offset, u32& value, Cycle now, u32 pc) {
  using namespace debug_reg;
  const DebugRegisterInfo* row = debug_register_at(offset, env_.shape.kind);
  const u32 address = info(Region::Debug).first + offset;
  CoreSlot* slot = slot_of(agent);
  value = 0;
  if (row == nullptr)
    return !refuse(Rule::TileUnmappedAddress, agent, address, pc, now, "load from");
  if (row->kind == RegisterKind::Refused)
    return !env_.faults.raise(refusal_of(offset), agent, pc, now,
                              fmt::format("read {}", row->name));
  if (row->access == Access::WO) return true;  // DebugTimestamper.md: TIMESTAMP reads as zero
  if (row->kind != RegisterKind::Live) {
    if (slot != nullptr) slot->reads.add(Resource::Debug);
    value = env_.debug.get(offset);
    if (offset == FPU_STICKY_BITS)
      env_.faults.raise(Rule::ConfigWithoutEffect, agent, pc, now,
                        fmt::format("read {}", row->name));
    return true;
  }
  if (slot != nullptr) slot->impure = true;
  return env_.debug_unit.read_live(offset, value, {agent, pc, now});
}

bool RegisterSpace::write_debug(Agent agent, u32 offset, u32 value, Cycle now, u32 pc) {
  using namespace debug_reg;
  const DebugRegisterInfo* row = debug_register_at(offset, env_.shape.kind);
  if (row == nullptr)
    return !refuse(Rule::TileUnmappedAddress, agent, info(Region::Debug).first + offset, pc, now,
                   "store to");
  if (row->access == Access::RO)
    return !env_.faults.raise(Rule::TileReadOnlyRegister, agent, pc, now,
                              fmt::format("0x{:08x} written to {}", value, row->name));
  if (row->kind == RegisterKind::Refused) {
    if (value != 0 && env_.faults.raise(refusal_of(offset), agent, pc, now,
                                        fmt::format("0x{:08x} written to {}", value, row->name)))
      return false;
    env_.debug.set(offset, value);
    return true;
  }
  warn_without_effect(env_.faults, *row, value, {agent, pc, now});
  env_.wakeup.touch(Resource::Debug);
  return env_.debug_unit.write_row(offset, value, {agent, pc, now});
}

// PIC.md, "Hardware IRQs".
void RegisterSpace::refresh_hardware_interrupts() {
  const auto refresh = [this](unsigned irq, bool raised) {
    if (raised == env_.pic.hardware(irq)) return;
    env_.wakeup.touch(Resource::Pic);
    env_.pic.set_hardware(irq, raised);
    env_.host.rouse_for_interrupts();
  };
  const std::array<bool, kNocs> of_niu{env_.nius[0]->interrupt(), env_.nius[1]->interrupt()};
  refresh(0, env_.streams->any_finished());
  for (unsigned noc = 0; noc < kNocs; ++noc) refresh(1 + noc, of_niu[noc]);
}

bool RegisterSpace::read_port(Agent agent, u32 address, u32& value, Cycle now, u32 pc) {
  if (CoreSlot* slot = slot_of(agent)) {
    slot->reads.add(Resource::Ethernet);
    slot->impure |= !eth::Port::is_steady(address);
  }
  return env_.port->read(address, value, {agent, pc, now});
}

/// What write() does with an address of the overlay, and every register that it changes.
bool RegisterSpace::write_stream(u32 address, u32 value, const Author& author) {
  const u32 offset = address - info(Region::Overlay).first;
  const u32 stream = offset / noc::kStreamStride;
  const bool counts = env_.only_counts(offset);
  noc::StreamState before;
  env_.streams->look(stream, before);
  if (!env_.streams->write(offset, value))
    return !refuse_stream(author.agent, address, author.pc, author.cycle, "store to");
  noc::StreamState after;
  env_.streams->look(stream, after);
  if (after != before) env_.follower.tell_stream(stream, before, after, author);
  if (!counts) stream_changed();
  return true;
}

/// Threads may wait for it, and cores be interrupted by it.
void RegisterSpace::stream_changed() {
  env_.host.rouse_coprocessor();
  refresh_hardware_interrupts();
}

/// One of the counters of a circular buffer may be about to be written. True: its author stops.
bool RegisterSpace::check_counter(u32 offset, u32 value, const Author& author) {
  const u32 reg = offset % noc::kStreamStride;
  const bool received = reg == Ledger::kReceived;
  if (!received && reg != Ledger::kAcked) return false;
  const u32 stream = offset / noc::kStreamStride;
  u32 before = 0;
  u32 other = 0;
  const u32 base = stream * noc::kStreamStride;
  if (!env_.streams->read(offset, before) ||
      !env_.streams->read(base + (received ? Ledger::kAcked : Ledger::kReceived), other))
    return false;
  return env_.checks->counter_written(stream, received, before, value, other, author);
}

}  // namespace bhemu::tile
