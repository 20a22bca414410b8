#include "watch/accesses.hpp"

#include "base/bits.hpp"
#include "riscv/core.hpp"
#include "tensix/operation.hpp"
#include "tensix/state.hpp"
#include "tile/regions.hpp"

namespace bhemu::watch {
namespace {

using tile::Region;

constexpr u32 kOwnLdm = 0xFFB00000;
constexpr u32 kLdmWindows = 0xFFB14000;
constexpr u32 kLdmWindowsEnd = 0xFFB1E000;
constexpr u32 kMopConfig = 0xFFB80000;
constexpr u32 kGprs = 0xFFE00000;
constexpr u32 kConfig = 0xFFEF0000;
constexpr u32 kWordBits = 32;

Place bytes_at(Area area, u64 address, u64 bytes) {
  return {area, address, address + bytes};
}

/// Bits of `bytes` bytes at byte `lane` of the word.
Place bits_at(Area area, u64 word, u32 lane, u32 bytes) {
  const u64 begin = word * kWordBits + lane * 8;
  return {area, begin, begin + bytes * 8};
}

Place local_memory_window(u64 address, u64 bytes) {
  const u64 offset = address - kLdmWindows;
  const u64 core = offset / kLdmStride;
  const u64 inner = offset % kLdmStride % riscv::ldm_size_of(static_cast<CoreId>(core));
  return bytes_at(Area::Ldm, core * kLdmStride + inner, bytes);
}

/// The window of the configuration: two banks, both at once, and the threads' words.
Place configuration(u32 index) {
  constexpr u32 kDual = 2 * tensix::kConfigWords;
  constexpr u32 kOfThreads = 3 * tensix::kConfigWords;
  if (index >= kOfThreads) return bits_at(Area::ThreadConfig, index - kOfThreads, 0, 4);
  return bits_at(Area::Config, index >= kDual ? index - kDual : index, 0, 4);
}

}  // namespace

Place Accesses::place_at(u64 address, u64 bytes) const {
  if (l1_bytes_ == 0 || address < l1_bytes_) return bytes_at(Area::Memory, address, bytes);
  if (address >= kLdmWindows && address < kLdmWindowsEnd)
    return local_memory_window(address, bytes);
  return bytes_at(Area::Register, address, bytes);
}

Place Accesses::place_of_core(const trace::Instruction& one,
                              const trace::CoreAccess& access) const {
  const u32 address = access.address;
  const u32 thread = one.core < 2 ? 0 : one.core - 2;
  switch (access.region) {
    case Region::OwnLdm:
      return bytes_at(Area::Ldm, one.core * kLdmStride + (address - kOwnLdm), access.size);
    case Region::Gpr: {
      const u32 offset = address - kGprs;
      const u32 owner = one.core == 0 ? offset >> 8 : thread;
      return bits_at(Area::Gpr, owner * tensix::kGprs + offset / 4 % tensix::kGprs, address % 4,
                     access.size);
    }
    case Region::Config:
      return configuration((address - kConfig) / 4);
    case Region::MopConfig:
      return {Area::MopConfig, thread * 10 + (address - kMopConfig) / 4,
              thread * 10 + (address - kMopConfig) / 4 + 1};
    default:
      return place_at(address, access.size);
  }
}

void Accesses::tell_core(const trace::Instruction& one, const trace::CoreAccess& access) {
  switch (access.region) {
    case Region::InstrnBuf0:
    case Region::InstrnBuf1:
    case Region::InstrnBuf2:
    case Region::PcBuf0:
    case Region::PcBuf1:
    case Region::PcBuf2:
    case Region::Mailbox:
      return;  // pushes and objects have callbacks of their own
    case Region::Overlay:
      if (access.store) return;
      break;
    default:
      break;
  }
  Actor actor;
  actor.kind = Actor::Kind::Core;
  actor.author = one.author;
  Access told{place_of_core(one, access), access.load, access.store};
  told.has_values = true;
  told.before = access.load ? access.loaded : 0;
  told.after = access.store ? access.stored : access.loaded;
  accessed(told, actor);
  constexpr u32 kDual = 2 * tensix::kConfigWords;
  const u32 index = (access.address - kConfig) / 4;
  if (access.region != Region::Config || index < kDual || index >= 3 * tensix::kConfigWords) return;
  told.place.begin += u64{tensix::kConfigWords} * kWordBits;
  told.place.end += u64{tensix::kConfigWords} * kWordBits;
  accessed(told, actor);
}

void Accesses::retired(const trace::Instruction& one) {
  for (const trace::CoreAccess& access : one.accesses)
    if (access.store || core_loads_) tell_core(one, access);
}

void Accesses::pushed(const trace::Push& one) {
  pushes_[one.thread][one.by_brisc][one.number % kPushes] = {one.number, one.author.pc,
                                                             one.author.agent};
}

void Accesses::find_pusher(const trace::Issue& one, Actor& actor) const {
  const Pushed& push = pushes_[one.thread][one.push.by_brisc][one.push.number % kPushes];
  if (push.number != one.push.number || one.push.number == 0) return;
  actor.pushed_from = push.pc;
  actor.pusher = push.agent;
}

void Accesses::issued(const trace::Issue& one) {
  Actor actor;
  actor.kind = Actor::Kind::Thread;
  actor.author = here(one.operation.author);
  find_pusher(one, actor);
  issuing(one, actor);
  for (u32 i = 0; one.touches != nullptr && !one.discarded && i < one.touches->size(); ++i) {
    const tensix::Touch& touch = (*one.touches)[i];
    const bool writes = tensix::writes(touch.access);
    const bool reads = tensix::reads(touch.access);
    each_place(touch, [&](const Place& place) {
      // Writes to L1 are known exactly from its door.
      const bool told = place.area == Area::Memory && writes;
      if (!told || reads) accessed({place, reads, writes && !told}, actor);
    });
  }
  // Those of effects that were put off have another author, and are flushed as they are.
  std::vector<Write> own;
  std::swap(own, writes_);
  for (const Write& write : own) {
    const bool same = write.author.agent == actor.author.agent &&
                      write.author.pc == actor.author.pc &&
                      write.author.cycle == actor.author.cycle;
    if (same)
      accessed({bytes_at(Area::Memory, write.address, write.bytes), false, true}, actor);
    else
      writes_.push_back(write);
  }
  own.clear();
  if (!writes_.empty()) flush_writes();
}

void Accesses::writes_l1(u32 address, u32 bytes, const Author& author) {
  const bool thread = author.agent >= Agent::Thread0 && author.agent <= Agent::Thread2;
  if (thread) {
    writes_.push_back({address, bytes, here(author)});
  }
}

/// What the mover does for a core; for a thread it is told with the instruction.
void Accesses::landed(const trace::Landing& one) {
  if (one.what != trace::Landing::What::Move || !is_core(one.author.agent)) return;
  Actor actor;
  actor.kind = Actor::Kind::Mover;
  actor.author = here(one.author);
  for (const tensix::Touch& touch : *one.touches)
    each_place(touch, [&](const Place& place) {
      accessed({place, tensix::reads(touch.access), tensix::writes(touch.access)}, actor);
    });
}

void Accesses::flush_writes() {
  for (const Write& write : writes_) {
    Actor actor;
    actor.kind = Actor::Kind::Thread;
    actor.author = write.author;
    accessed({bytes_at(Area::Memory, write.address, write.bytes), false, true}, actor);
  }
  writes_.clear();
}

void Accesses::changed(const trace::ObjectChange& one) {
  constexpr Area kAreaOf[] = {Area::Semaphore, Area::Mutex, Area::Mailbox, Area::PcBuf,
                              Area::Stream};
  Actor actor;
  const Agent agent = one.author.agent;
  const bool thread = agent >= Agent::Thread0 && agent <= Agent::Thread2;
  const bool niu = agent == Agent::Niu0 || agent == Agent::Niu1;
  actor.kind = is_core(agent) ? Actor::Kind::Core
               : thread       ? Actor::Kind::Thread
               : niu          ? Actor::Kind::Noc
                              : Actor::Kind::Host;
  actor.author = here(one.author);
  const bool pops = one.how == trace::ObjectChange::How::Pop;
  Access access{
      {kAreaOf[static_cast<unsigned>(one.object)], one.index, u64{one.index} + 1}, pops, !pops};
  access.has_values = true;
  access.before = one.before;
  access.after = one.after;
  accessed(access, actor);
}

void Accesses::arrived(const trace::Arrival& one) {
  using Phase = trace::Arrival::Phase;
  if (one.phase == Phase::Answered || one.length == 0) return;
  Actor actor;
  actor.kind = Actor::Kind::Noc;
  actor.issuer = one.issuer;
  actor.author = one.author;
  actor.request = one.id.number;
  const bool reads = one.phase == Phase::Read || one.phase == Phase::Atomic;
  const bool writes = one.phase != Phase::Read;
  const auto tell = [&](u64 address, u64 bytes) {
    const Place place = place_at(address, bytes);
    // Streams tell of themselves.
    accessed({place, reads, writes}, actor);
  };
  if (one.phase != Phase::Write || one.byte_enable == ~u64{0}) return tell(one.address, one.length);
  const auto enabled = [&](u32 i) { return i < 64 && (one.byte_enable >> i & 1) != 0; };
  for (u32 first = 0; first < 64; ++first) {
    if (!enabled(first)) continue;
    u32 last = first;
    while (enabled(last)) ++last;
    tell(one.address + first, last - first);
    first = last;
  }
}

void Accesses::host_wrote(u64 address, std::span<const u8> bytes, Cycle now) {
  Actor actor;
  actor.author = {Agent::Host, 0, now, node_};
  accessed({place_at(address, bytes.size()), false, true}, actor);
}

void Accesses::host_read(u64 address, std::span<const u8> bytes, Cycle now) {
  Actor actor;
  actor.author = {Agent::Host, 0, now, node_};
  accessed({place_at(address, bytes.size()), true, false}, actor);
}

void Accesses::forget() {
  writes_.clear();
  pushes_ = {};
}

}  // namespace bhemu::watch
