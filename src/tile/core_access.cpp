// What a core's load or store does when it is neither L1 nor the core's own local memory.
// BlackholeA0/TensixTile/BabyRISCV/README.md (memory map), PushTensixInstruction.md, PCBufs.md,
// ManualTTSync.md; WormholeB0/TensixTile/BabyRISCV/Mailboxes.md.
#include "tile/core_access.hpp"

#include <fmt/format.h>

#include <cstring>

#include "base/bits.hpp"
#include "noc/stream_table.hpp"
#include "tensix/frontend/frontend.hpp"
#include "tensix/isa.hpp"
#include "tile/bus.hpp"

namespace bhemu::tile {
namespace {

/// Not inline: most runs keep no log, and their pushes should not pay for its arguments.
template <class Environment>
[[gnu::noinline]] void note_push(const Environment& env, unsigned core, unsigned thread, u32 word,
                                 Cycle now) {
  env.checks->pushes()->pushed(thread, word, agent_of(env.shape.core[core]), env.cores[core].pc,
                               now, env.faults);
}

using riscv::Loaded;
using riscv::Outcome;

constexpr u32 kTtSyncCoprocessorDone = 0x04;
constexpr u32 kTtSyncMopDone = 0x08;
constexpr u32 kSemaphores = 0x20;
constexpr u32 kSemaphoresEnd = 0x40;
constexpr u32 kNius = 0xFFB20000;
constexpr u32 kNiuBytes = 0x10000;
constexpr u32 kStoreRegBase = 0xFFB00000;  // STOREREG counts words from here

constexpr u32 kInstrnBuf = 0xFFE40000;  // of a TRISC, its own thread's
constexpr u32 kGprs = 0xFFE00000;
constexpr u32 kGprBytes = 0x1000;

constexpr bool is_of_noc(u32 address) {
  return address - kNius < kNocs * kNiuBytes || address - kOverlay < kOverlayBytes;
}

/// The part of an aligned 32-bit register that a narrower load sees.
u32 narrow(u32 word, u32 address, u32 size) {
  return size == 4 ? word : word >> (address % 4 * 8);
}

unsigned thread_of_core(unsigned core) {
  return core >= static_cast<unsigned>(CoreId::Trisc0)
             ? core - static_cast<unsigned>(CoreId::Trisc0)
             : 0;
}

/// Fields of RISCV_DEBUG_REG_TRISC_PC_BUF_OVERRIDE for one PCBuf (PCBufs.md).
struct PcBufOverride {
  bool enabled;
  bool busy;
  u8 value;
};
PcBufOverride pcbuf_override(const DebugRegisters& debug, unsigned buffer) {
  const u32 field = bits(debug.get(debug_reg::TRISC_PC_BUF_OVERRIDE), buffer * 10, 10);
  return {bit(field, 0), bit(field, 1), static_cast<u8>(bits(field, 2, 8))};
}

}  // namespace

Outcome CoreAccess::wait(unsigned core, BlockKind kind, u32 resources, u32 address) {
  CoreSlot& slot = env_.slots[core];
  slot.block = kind;
  slot.block_resources = resources;
  slot.block_address = address;
  slot.waited = kind;
  slot.waited_address = address;
  slot.waited_instret = env_.cores[core].instret;
  return Outcome::Blocked;
}

/// An access of a TRISC that has to wait for instructions of its thread (AutoTTSync.md).
bool CoreAccess::held_by_ttsync(unsigned core, Region region, u32 offset, bool is_store) const {
  if (core < index_of(CoreId::Trisc0)) return false;
  const unsigned thread = thread_of_core(core);
  switch (region) {
    case Region::Gpr:
      return env_.coprocessor->holds_gprs(thread, is_store);
    case Region::Config:
      return env_.coprocessor->holds_config(thread, offset / 4, is_store);
    case Region::Tdma:
      return env_.coprocessor->holds_tdma(thread, is_store);
    default:
      return false;
  }
}

bool CoreAccess::still_held_by_ttsync(unsigned core) const {
  const CoreSlot& slot = env_.slots[core];
  const Region region = env_.shape.regions->at(slot.waited_address);
  return held_by_ttsync(core, region, slot.waited_address - info(region).first,
                        slot.waited == BlockKind::TtSyncStore);
}

bool CoreAccess::load_at_once(unsigned core, u32 address, u32& value, Cycle now) {
  CoreSlot& slot = env_.slots[core];
  if (const u32 at = address - kNius; at < kNocs * kNiuBytes) {
    const unsigned noc = at / kNiuBytes;
    const u32 offset = at % kNiuBytes;
    if (noc::Niu::read_has_effect(offset) || !env_.nius[noc]->look(offset, value)) return false;
    slot.reads.add(niu_of(noc));
    if (env_.checks != nullptr) env_.checks->looked(core, noc, offset, now);
    return true;
  }
  if (const u32 offset = address - kOverlay; offset < kOverlayBytes) {
    if (slot.status == CoreStatus::Running &&
        env_.buses[core]->sit_out_for(address, env_.host.nominal_begin(now)))
      return false;
    if (noc::StreamFile::read_has_effect(offset) || !env_.streams->read(offset, value))
      return false;
    slot.reads.add(Resource::Stream);
    if (slot.stream_offsets[0] != offset) slot.stream_offsets = {offset, slot.stream_offsets[0]};
    return true;
  }
  if (address == kWallClock || address == kWallClockHigh) {
    slot.timed = true;
    ++env_.activity.clock_reads;
    const bool high = address == kWallClockHigh;
    value = high ? static_cast<u32>(now >> 32) : env_.timestamper.clock_low(now);
    return true;
  }
  if (address != kWallClockLatched) return false;
  slot.timed = true;
  value = env_.timestamper.clock_high_latched();
  return true;
}

bool CoreAccess::store_part(unsigned core, u32 pc, u32 address, u32 value, Cycle now) {
  // A word of a command buffer has no effect on other agents until the request is sent, so it does
  // not end a long turn.
  if (const u32 at = address - kNius; at < kNocs * kNiuBytes) {
    const unsigned noc = at / kNiuBytes;
    return (env_.wakeup.watched & mask_of(niu_of(noc))) == 0 &&
           env_.nius[noc]->hold(at % kNiuBytes, value);
  }
  if (address == kInstrnBuf) return push_one(core, pc, value, now);
  // Firmware clears the registers of its thread.
  const u32 at = address - kGprs;
  if (at >= kGprBytes || env_.long_turn || !nobody_looks_on() || core < index_of(CoreId::Trisc0) ||
      env_.coprocessor == nullptr || (env_.wakeup.watched & mask_of(Resource::Gpr)) != 0)
    return false;
  const unsigned thread = thread_of_core(core);
  if (env_.coprocessor->holds_gprs(thread, true)) return false;
  env_.coprocessor->write_gpr(thread, at / 4 % 64, value, now);
  return true;
}

bool CoreAccess::push_one(unsigned core, u32 pc, u32 word, Cycle now) {
  return push_at_once(core, pc, {&word, 1}, now, Pushed::ByStore) != 0;
}

/// Nobody is told of a store.
bool CoreAccess::nobody_looks_on() const {
  return env_.checks == nullptr && env_.trace == nullptr && env_.observer == nullptr;
}

bool CoreAccess::store_count(unsigned core, u32 pc, u32 offset, u32 value, Cycle now) {
  using namespace noc::stream;
  static_assert(Ledger::kAcked == 4 * STREAM_REMOTE_DEST_BUF_START &&
                Ledger::kReceived == 4 * STREAM_REMOTE_DEST_BUF_SIZE &&
                Ledger::kReceived == (Ledger::kAcked | 8));
  const u32 stream = offset / noc::kStreamStride;
  const bool received = (offset & 8) != 0;
  if (!env_.only_counts(offset) || !nobody_looks_on() ||
      !env_.streams->count_unwatched(stream, received, value))
    return false;
  env_.ledger.counter_written(stream, received, value, agent_of(env_.shape.core[core]), pc, now);
  return true;
}

Loaded CoreAccess::load(unsigned core, u32 address, u32 size, Cycle now) {
  if (u32 value = 0; size == 4 && load_at_once(core, address, value, now))
    return {value, Outcome::Ok};
  return load_slowly(core, address, size, now);
}

// tidy: allow function-length: one case per region
Loaded CoreAccess::load_slowly(unsigned core, u32 address, u32 size, Cycle now) {
  const Agent agent = agent_of(env_.shape.core[core]);
  const u32 pc = env_.cores[core].pc;
  CoreSlot& slot = env_.slots[core];
  const auto refused = [&](Rule rule) -> Loaded {
    const bool stop = registers_.refuse(rule, agent, address, pc, now, "load from");
    return {0, stop ? Outcome::Stop : Outcome::Ok};
  };
  const Region region = env_.shape.regions->at(address);
  if (region == Region::Count || (region == Region::OwnLdm)) {
    return refused(Rule::TileUnmappedAddress);
  }
  if (!bit(info(region).cores, core)) {
    return refused(Rule::TileAccessDenied);
  }
  const u32 offset = address - info(region).first;
  const unsigned thread = thread_of_core(core);
  if (held_by_ttsync(core, region, offset, false))
    return {0, wait(core, BlockKind::TtSyncLoad, mask_of(thread_of(thread)), address)};
  switch (region) {
    case Region::MopConfig:
    case Region::InstrnBuf0:
    case Region::InstrnBuf1:
    case Region::InstrnBuf2: {
      return refused(Rule::TileWriteOnlyRegister);
    }
    case Region::Dst: {
      slot.reads.add(Resource::Dst);
      u32 value = 0;
      const bool done = env_.coprocessor->read_dst(thread, offset, size, value, {agent, pc, now});
      return {value, done ? Outcome::Ok : Outcome::Stop};
    }
    case Region::Gpr: {
      // A TRISC sees its 64 again every 256 bytes (MemoryOrdering.md, Aliasing).
      slot.reads.add(Resource::Gpr);
      const unsigned owner = core == 0 ? offset >> 8 : thread;
      if (owner >= kThreads) break;
      return {narrow(env_.coprocessor->read_gpr(owner, offset / 4 % 64), address, size),
              Outcome::Ok};
    }
    case Region::Config: {
      slot.reads.add(Resource::Config);
      u32 value = 0;
      const bool done = env_.coprocessor->read_config(offset / 4, value, {agent, pc, now});
      return {narrow(value, address, size), done ? Outcome::Ok : Outcome::Stop};
    }
    case Region::PcBuf0:
      return load_pcbuf(core, core == 0 ? 0 : thread, offset, now);
    case Region::PcBuf1:
    case Region::PcBuf2:
      return load_pcbuf(core, region == Region::PcBuf1 ? 1 : 2, 0, now);
    case Region::Mailbox:
      return load_mailbox(core, offset, now);
    case Region::Tdma:
      if (env_.coprocessor->tdma_read_waits(offset & ~3u))
        return {0, wait(core, BlockKind::PackedTile, mask_of(Resource::Tdma), address)};
      [[fallthrough]];
    case Region::Overlay:
      if (slot.status == CoreStatus::Running &&
          env_.buses[core]->sit_out_for(address & ~3u, env_.host.nominal_begin(now)))
        return {0, Outcome::Blocked};
      [[fallthrough]];
    default: {
      u32 value = 0;
      if (!registers_.read(agent, address & ~3u, value, now, pc)) return {0, Outcome::Stop};
      return {narrow(value, address, size), Outcome::Ok};
    }
  }
  return refused(Rule::TileUnmappedAddress);
}

Outcome CoreAccess::store(unsigned core, u32 address, u32 size, u32 value, Cycle now) {
  const u32 pc = env_.cores[core].pc;
  if (size == 4 && store_at_once(core, pc, address, value, now)) return Outcome::Ok;
  return carry_out(core, pc, address, size, value, now);
}

// tidy: allow function-length: one case per region
/// The store of the instruction at `pc`, which may be long past (late.hpp).
Outcome CoreAccess::carry_out(unsigned core, u32 pc, u32 address, u32 size, u32 value, Cycle now) {
  // One that is done here for those who look on ends no turn that it does not end without them.
  const u32 at = address - kOverlay;
  if (size != 4 || at >= kOverlayBytes || !env_.only_counts(at)) end_long_turn(now);
  const Agent agent = agent_of(env_.shape.core[core]);
  // What kernels and launches write most, NIUs and streams: all cores may, and nothing holds it.
  if (is_of_noc(address) && size == 4) {
    const bool done = registers_.write(agent, address, value, now, pc);
    if (env_.slots[core].status != CoreStatus::Running) env_.buses[core]->attention = true;
    return done ? Outcome::Ok : Outcome::Stop;
  }
  const Author author{agent, pc, now};
  const auto refused = [&](Rule rule) {
    return registers_.refuse(rule, agent, address, pc, now, "store to") ? Outcome::Stop
                                                                        : Outcome::Ok;
  };
  const auto outcome_of = [](bool done) { return done ? Outcome::Ok : Outcome::Stop; };
  const Region region = env_.shape.regions->at(address);
  if (region == Region::Count || region == Region::OwnLdm)
    return refused(Rule::TileUnmappedAddress);
  if (!bit(info(region).cores, core)) {
    const bool fifo = region == Region::InstrnBuf0 || region == Region::InstrnBuf1 ||
                      region == Region::InstrnBuf2;
    return refused(fifo ? Rule::TileWrongThreadPush : Rule::TileAccessDenied);
  }
  const u32 offset = address - info(region).first;
  const unsigned thread = thread_of_core(core);
  const bool ldm_window = region >= Region::LdmB && region <= Region::LdmT2;
  if (ldm_window) {
    registers_.store_ldm(address, size, value);
    return Outcome::Ok;
  }
  if (size != 4 && region != Region::Gpr && region != Region::Dst)
    return refused(Rule::TileAccessSize);
  if (held_by_ttsync(core, region, offset, true))
    return wait(core, BlockKind::TtSyncStore, mask_of(thread_of(thread)), address);
  switch (region) {
    case Region::MopConfig:
      if (env_.checks != nullptr && env_.checks->pushes() != nullptr)
        env_.checks->pushes()->configured(thread, offset / 4, value, agent, pc);
      return outcome_of(env_.coprocessor->write_mop_config(thread, offset / 4, value, author));
    case Region::InstrnBuf0:
      return push_tensix(core, core == 0 ? 0 : thread, value, now);
    case Region::InstrnBuf1:
    case Region::InstrnBuf2:
      return push_tensix(core, region == Region::InstrnBuf1 ? 1 : 2, value, now);
    case Region::Dst:
      return outcome_of(env_.coprocessor->write_dst(thread, offset, size, value, author));
    case Region::Gpr: {
      const unsigned owner = core == 0 ? offset >> 8 : thread;
      if (owner >= kThreads) return refused(Rule::TileUnmappedAddress);
      const u32 lane = address % 4;
      const u32 mask = ((1u << size) - 1) << lane;
      env_.coprocessor->write_gpr(owner, offset / 4 % 64, value << (lane * 8), now, mask);
      return Outcome::Ok;
    }
    case Region::Config:
      return outcome_of(env_.coprocessor->write_config(offset / 4, value, author));
    case Region::PcBuf0:
      return store_pcbuf(core, core == 0 ? 0 : thread, offset, value, now);
    case Region::PcBuf1:
    case Region::PcBuf2:
      return store_pcbuf(core, region == Region::PcBuf1 ? 1 : 2, 0, value, now);
    case Region::Mailbox:
      return store_mailbox(core, offset, value, now);
    case Region::Tdma:
      if (env_.coprocessor->tdma_write_waits(offset))
        return wait(core, BlockKind::TdmaFull, mask_of(Resource::Tdma), address);
      [[fallthrough]];
    default: {
      const bool done = registers_.write(agent, address, value, now, pc);
      if (env_.slots[core].status != CoreStatus::Running) env_.buses[core]->attention = true;
      return done ? Outcome::Ok : Outcome::Stop;
    }
  }
}

// Up to four `.ttinsn` in a row are one push, so they need room once (PushTensixInstruction.md).
// Where in memory such a group may begin is not documented; here the first that follows anything
// else begins one.
bool CoreAccess::fuses(unsigned core, Pushed by) const {
  constexpr u32 kDisTriscCache = 18;
  return by == Pushed::ByTtinsn && !bit(env_.cores[core].csr.cfg0, kDisTriscCache);
}

namespace {

/// With so many words under way there is room for what the instruction at `pc` pushes, and it is
/// taken.
bool take_room(CoreSlot& slot, bool fuses, u32 pc, u32 under_way) {
  constexpr u8 kGroup = 4;
  const bool continues = fuses && slot.fused != 0 && slot.fused_pc == pc;
  if (!tensix::frontend::has_room(under_way, continues)) return false;
  slot.fused = !fuses ? u8{0} : static_cast<u8>(continues ? (slot.fused + 1) % kGroup : 1);
  slot.fused_pc = pc + 4;
  return true;
}

}  // namespace

u32 CoreAccess::push_at_once(unsigned core, u32 pc, std::span<const u32> words, Cycle now,
                             Pushed by) {
  const bool is_logged = env_.checks != nullptr && env_.checks->pushes() != nullptr;
  if (core < index_of(CoreId::Trisc0) || env_.coprocessor == nullptr || env_.long_turn || is_logged)
    return 0;
  const unsigned thread = thread_of_core(core);
  if ((env_.wakeup.watched & mask_of(thread_of(thread))) != 0 ||
      bit(env_.debug.get(debug_reg::DBG_INSTRN_BUF_CTRL0), thread))
    return 0;
  CoreSlot& slot = env_.slots[core];
  const bool fused = fuses(core, by);
  const u32 under_way =
      tensix::frontend::outstanding(std::as_const(*env_.coprocessor).state().frontend[thread]);
  u32 count = 0;
  while (count < words.size() && tensix::opcode_of(words[count]) != tensix::op::STOREREG::kOpcode &&
         take_room(slot, fused, pc + 4 * count, under_way + count))
    ++count;
  if (count != 0) env_.coprocessor->push(thread, words.first(count), now);
  return count;
}

Outcome CoreAccess::push_tensix(unsigned core, unsigned thread, u32 word, Cycle now, Pushed by) {
  end_long_turn(now);
  // While the debug bus owns the FIFO, what cores push is lost (PushTensixInstruction.md).
  if (bit(env_.debug.get(debug_reg::DBG_INSTRN_BUF_CTRL0), thread)) {
    const bool stop =
        env_.faults.raise(Rule::TilePushLost, agent_of(env_.shape.core[core]), env_.cores[core].pc,
                          now, fmt::format("0x{:08x} for thread {}", word, thread));
    return stop ? Outcome::Stop : Outcome::Ok;
  }
  const bool from_brisc = core == static_cast<unsigned>(CoreId::Brisc);
  const auto& frontend = std::as_const(*env_.coprocessor).state().frontend[thread];
  const bool room = from_brisc ? env_.coprocessor->can_push_from_brisc(thread)
                               : take_room(env_.slots[core], fuses(core, by), env_.cores[core].pc,
                                           tensix::frontend::outstanding(frontend));
  if (!room)
    return wait(core, BlockKind::FifoFull, mask_of(fifo_of(thread)) | mask_of(thread_of(thread)),
                kInstrnBuf + thread * 0x10000);
  if (env_.checks != nullptr && env_.checks->pushes() != nullptr) [[unlikely]]
    note_push(env_, core, thread, word, now);
  if (tensix::opcode_of(word) == tensix::op::STOREREG::kOpcode)
    env_.buses[core]->stores.add(kStoreRegBase + tensix::op::STOREREG{word}.reg_addr() * 4,
                                 env_.host.nominal_begin(now));
  if (from_brisc) {
    env_.coprocessor->push_from_brisc(thread, word, now);
  } else {
    env_.coprocessor->push(thread, word, now);
  }
  return Outcome::Ok;
}

// BRISC's read is a barrier; a TRISC's word 0 pops, words 1 and 2 wait for the coprocessor, and
// the words from 0x20 on are the semaphores, the same eight for every TRISC.
Loaded CoreAccess::load_pcbuf(unsigned core, unsigned buffer, u32 offset, Cycle now) {
  CoreSlot& slot = env_.slots[core];
  const u32 address = 0xFFE80000 + offset;
  const PcBufOverride forced = pcbuf_override(env_.debug, buffer);
  const u32 events = mask_of(thread_of(buffer)) | mask_of(Resource::Debug);
  if (core == static_cast<unsigned>(CoreId::Brisc)) {
    slot.impure = true;
    const CoreSlot& trisc = env_.slots[static_cast<unsigned>(CoreId::Trisc0) + buffer];
    const bool waiting =
        trisc.status == CoreStatus::Blocked && trisc.block == BlockKind::PcBufEmpty;
    if (forced.enabled && forced.busy) return {0, Outcome::Ok};
    if (env_.coprocessor->pcbuf_empty(buffer) && waiting && env_.coprocessor->drained(buffer))
      return {0, Outcome::Ok};
    return {0, wait(core, BlockKind::PcBufBarrier, events, address + buffer * 0x10000)};
  }
  if (offset >= kSemaphores && offset < kSemaphoresEnd) {
    slot.reads.add(Resource::Semaphore);
    return {env_.coprocessor->read_semaphore((offset - kSemaphores) / 4), Outcome::Ok};
  }
  slot.impure = true;
  switch (offset & ~3u) {
    case 0:
      if (!env_.coprocessor->pcbuf_empty(buffer)) {
        end_long_turn(now);
        const u32 value = env_.coprocessor->pcbuf_pop(buffer, now);
        if (env_.trace != nullptr) [[unlikely]]
          env_.follower.trace_queue(core, trace::Queue::PcBuf, false, 0, core, value, now);
        return {value, Outcome::Ok};
      }
      if (forced.enabled) return {forced.value, Outcome::Ok};
      end_long_turn(now);
      env_.wakeup.touch(thread_of(buffer));  // BRISC's barrier waits for this core to wait
      return {0, wait(core, BlockKind::PcBufEmpty, events, address)};
    case kTtSyncCoprocessorDone:
      if (env_.coprocessor->drained(buffer) || (forced.enabled && forced.busy))
        return {0, Outcome::Ok};
      return {0, wait(core, BlockKind::CoprocessorDone, events, address)};
    case kTtSyncMopDone:
      if (env_.coprocessor->mop_drained(buffer, now) || (forced.enabled && forced.busy))
        return {0, Outcome::Ok};
      return {0, wait(core, BlockKind::MopDone, events | mask_of(fifo_of(buffer)), address)};
    default: {
      const bool stop =
          registers_.refuse(Rule::TileUnmappedAddress, agent_of(env_.shape.core[core]), address,
                            env_.cores[core].pc, now, "load from");
      return {0, stop ? Outcome::Stop : Outcome::Ok};
    }
  }
}

/// A core posts or gets a semaphore of the coprocessor, as SEMPOST and SEMGET do. The maximum holds
/// for SEMWAIT only; cores that poll have bounds of their own, also where no SEMINIT gave one.
void CoreAccess::check_semaphore(unsigned core, u32 index, bool gets, Cycle now) {
  const tensix::Semaphore& semaphore =
      std::as_const(*env_.coprocessor).state().sync.semaphore[index];
  const Author author{agent_of(env_.shape.core[core]), env_.cores[core].pc, now};
  constexpr u32 kCeiling = 15;
  if (gets ? semaphore.value == 0 : semaphore.value == kCeiling)
    env_.faults.raise(
        Rule::TensixSemaphoreAtCeiling, author,
        fmt::format("{} of semaphore {} at {}", gets ? "get" : "post", index, semaphore.value));
}

Outcome CoreAccess::store_pcbuf(unsigned core, unsigned buffer, u32 offset, u32 value, Cycle now) {
  if (core == static_cast<unsigned>(CoreId::Brisc)) {
    if (env_.coprocessor->pcbuf_full(buffer))
      return wait(core, BlockKind::PcBufFull, mask_of(thread_of(buffer)),
                  0xFFE80000 + buffer * 0x10000);
    env_.coprocessor->pcbuf_push(buffer, value, now);
    if (env_.trace != nullptr) [[unlikely]]
      env_.follower.trace_queue(core, trace::Queue::PcBuf, true, core,
                                index_of(CoreId::Trisc0) + buffer, value, now);
    return Outcome::Ok;
  }
  if (offset >= kSemaphores && offset < kSemaphoresEnd) {
    const u32 semaphore = (offset - kSemaphores) / 4;
    const u32 before = env_.coprocessor->read_semaphore(semaphore);
    check_semaphore(core, semaphore, bit(value, 0), now);
    env_.coprocessor->write_semaphore(semaphore, value, now);
    if (env_.trace != nullptr) [[unlikely]]
      env_.follower.trace_semaphore(core, semaphore, before, now);
  }
  return Outcome::Ok;  // writes to the PCBuf and TTSync words are discarded (ManualTTSync.md)
}

Loaded CoreAccess::load_mailbox(unsigned core, u32 offset, Cycle now) {
  const unsigned from = offset >> 12;
  const unsigned to = *Mailboxes::end_of(static_cast<CoreId>(core));
  CoreSlot& slot = env_.slots[core];
  if ((offset & 4) != 0) {
    slot.reads.add(Resource::Mailbox);
    return {env_.mailboxes.empty(from, to) ? 0u : 1u, Outcome::Ok};
  }
  slot.impure = true;
  if (env_.mailboxes.empty(from, to))
    return {0,
            wait(core, BlockKind::MailboxEmpty, mask_of(Resource::Mailbox), 0xFFEC0000 + offset)};
  end_long_turn(now);
  env_.wakeup.touch(Resource::Mailbox);
  const u32 value = env_.mailboxes.pop(from, to);
  if (env_.trace != nullptr) [[unlikely]]
    env_.follower.trace_queue(core, trace::Queue::Mailbox, false, Mailboxes::core_of(from), core,
                              value, now);
  return {value, Outcome::Ok};
}

Outcome CoreAccess::store_mailbox(unsigned core, u32 offset, u32 value, Cycle now) {
  const unsigned from = *Mailboxes::end_of(static_cast<CoreId>(core));
  if (!env_.mailboxes.can_push(from))
    return wait(core, BlockKind::MailboxFull, mask_of(Resource::Mailbox), 0xFFEC0000 + offset);
  env_.wakeup.touch(Resource::Mailbox);
  env_.mailboxes.push(from, offset >> 12, value);
  if (env_.trace != nullptr) [[unlikely]]
    env_.follower.trace_queue(core, trace::Queue::Mailbox, true, core,
                              Mailboxes::core_of(offset >> 12), value, now);
  return Outcome::Ok;
}

}  // namespace bhemu::tile
