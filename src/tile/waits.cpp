// What a core waits for, as data (base/wait.hpp); in words: wait_text.cpp.
#include "base/bits.hpp"
#include "tile/tile.hpp"

namespace bhemu::tile {
namespace {

constexpr u32 kStreamBytes = 0x1000;
constexpr u32 kSemaphores = 8;

Wait wait_for(Awaited kind, u32 index = 0) {
  Wait wait;
  wait.kind = kind;
  wait.index = index;
  return wait;
}

Agent core_of_thread(u32 thread) {
  return static_cast<Agent>(static_cast<unsigned>(Agent::Trisc0) + thread);
}

/// Mailboxes are numbered B, T0, T1, T2.
Agent mailbox_end(u32 end) {
  return end == 0 ? Agent::Brisc : core_of_thread(end - 1);
}

}  // namespace

trace::Wait wait_of(BlockKind block) {
  using trace::Wait;
  constexpr Wait kWaits[] = {
      Wait::Debugger,  Wait::Fifo,         Wait::MailboxWord, Wait::MailboxRoom, Wait::PcBufWord,
      Wait::PcBufRoom, Wait::PcBufBarrier, Wait::ThreadDone,  Wait::Mop,         Wait::PackedTile,
      Wait::TdmaRoom,  Wait::AutoTtSync,   Wait::AutoTtSync};
  return kWaits[static_cast<unsigned>(block)];
}

Waits Tile::waiting(CoreId id) const {
  const CoreSlot& slot = slots_[index(id)];
  Waits waits;
  waits.waiting = true;
  if (slot.status == CoreStatus::Halted) {
    Wait wait = wait_for(Awaited::Debugger);
    wait.value = debugger_.reasons(index(id));
    // NCRISC can be halted and not be resumed: it has no debug interface.
    wait.other = shape_.has_debug_interface(index(id));
    wait.holders = bit_of(Agent::Host);
    waits.all.push_back(wait);
  } else if (slot.block != BlockKind::None) {
    find_block(id, slot, waits);
  } else if (slot.status == CoreStatus::Parked) {
    find_in_loop(slot, waits.all);
  }
  return waits;
}

void Tile::find_block(CoreId id, const CoreSlot& slot, Waits& waits) const {
  const u32 buffer = (slot.block_address >> 16) & 3;
  const u32 thread =
      id >= CoreId::Trisc0 ? index(id) - index(CoreId::Trisc0) : (buffer < kThreads ? buffer : 0);
  const u32 mailbox = slot.block_address >> 12 & 3;
  Wait wait;
  wait.address = slot.block_address;
  wait.index = thread;
  bool for_thread = false;
  const auto is = [&](Awaited kind, u32 holders) {
    wait.kind = kind;
    wait.holders = holders;
  };
  const auto is_for_thread = [&](Awaited kind) {
    is(kind, bit_of(agent_of_thread(thread)));
    for_thread = true;
  };
  switch (slot.block) {
    case BlockKind::FifoFull:
      is_for_thread(Awaited::FifoRoom);
      break;
    case BlockKind::CoprocessorDone:
      is_for_thread(Awaited::ThreadDone);
      break;
    case BlockKind::MopDone:
      is_for_thread(Awaited::MopDone);
      break;
    case BlockKind::TtSyncLoad:
    case BlockKind::TtSyncStore:
      is_for_thread(Awaited::TtSync);
      break;
    case BlockKind::MailboxEmpty:
      is(Awaited::MailboxWord, bit_of(mailbox_end(mailbox)));
      wait.index = mailbox;
      break;
    case BlockKind::MailboxFull:
      is(Awaited::MailboxRoom, bit_of(mailbox_end(mailbox)));
      wait.index = mailbox;
      break;
    case BlockKind::PcBufEmpty:
      is(Awaited::PcBufWord, bit_of(Agent::Brisc));
      break;
    case BlockKind::PcBufFull:
      is(Awaited::PcBufRoom, bit_of(core_of_thread(thread)));
      break;
    case BlockKind::PcBufBarrier:
      is(Awaited::PcBufDrained, bit_of(core_of_thread(thread)));
      break;
    case BlockKind::PackedTile:
      is(Awaited::PackedTile, 0);
      break;
    case BlockKind::TdmaFull:
      wait = coprocessor_->wait_for_tdma_room();
      wait.address = slot.block_address;
      break;
    case BlockKind::None:
      return;
  }
  waits.all.push_back(wait);
  if (for_thread) waits.behind.push_back(coprocessor_->waiting(thread));
}

void Tile::find_in_loop(const CoreSlot& slot, std::vector<Wait>& waits) const {
  const u32 resources = slot.reads.resources();
  for (unsigned noc = 0; noc < kNocs; ++noc) {
    if ((resources & mask_of(niu_of(noc))) == 0) continue;
    const std::size_t before = waits.size();
    nius_[noc]->find_outstanding(waits);
    if (waits.size() == before) waits.push_back(wait_for(Awaited::NiuRegister, noc));
  }
  if ((resources & mask_of(Resource::Stream)) != 0) waits.push_back(stream_wait(slot));
  if ((resources & mask_of(Resource::Semaphore)) != 0)
    for (u32 s = 0; s < kSemaphores; ++s) {
      Wait wait = wait_for(Awaited::SemaphoreSeen, s);
      wait.value = coprocessor_->read_semaphore(s);
      wait.until = Until::Changes;
      waits.push_back(wait);
    }
  constexpr Resource kPlain[] = {Resource::Mailbox, Resource::Config,  Resource::Gpr,
                                 Resource::Dst,     Resource::Tdma,    Resource::Debug,
                                 Resource::Pic,     Resource::Ethernet};
  for (const Resource resource : kPlain)
    if ((resources & mask_of(resource)) != 0)
      waits.push_back(wait_for(Awaited::Register, static_cast<u32>(resource)));
  for (unsigned i = 0; i < slot.reads.count(); ++i) {
    Wait wait = wait_for(Awaited::Word);
    wait.address = slot.reads.word(i);
    wait.value = l1_.read32(slot.reads.word(i));
    wait.until = Until::Changes;
    waits.push_back(wait);
  }
  if (slot.rounds_end < CoreSlot::kEndless) {
    Wait wait = wait_for(Awaited::Time);
    wait.since = slot.rounds_end;
    waits.push_back(wait);
  }
  if (waits.empty()) waits.push_back(wait_for(Awaited::Nothing));
}

Wait Tile::stream_wait(const CoreSlot& slot) const {
  const u32 offset = slot.stream_offsets[0];
  const u32 stream = offset / kStreamBytes;
  const u32 base = stream * kStreamBytes;
  const auto read_lately = [&](u32 reg) {
    return slot.stream_offsets[0] == base + reg || slot.stream_offsets[1] == base + reg;
  };
  const auto value_of = [&](u32 reg) {
    u32 value = 0;
    streams_->read(base + reg, value);
    return value;
  };
  Wait wait = wait_for(Awaited::Stream, stream);
  wait.until = Until::Changes;
  // Whoever compares both counters waits for a page or for room.
  if (read_lately(Ledger::kReceived) && read_lately(Ledger::kAcked)) {
    wait.kind = Awaited::Pages;
    wait.value = value_of(Ledger::kReceived);
    wait.other = value_of(Ledger::kAcked);
    return wait;
  }
  wait.address = offset - base;
  wait.value = value_of(offset - base);
  return wait;
}

}  // namespace bhemu::tile
