// Words for the hang report: what a core waits for, and who could release it.
#include <fmt/format.h>

#include "base/bits.hpp"
#include "tile/tile.hpp"

namespace bhemu::tile {
namespace {

constexpr u32 kStreamBytes = 0x1000;
// Overlay registers that circular buffers use as counters (stream-registers.md).
constexpr u32 kTilesAcked = 0x20;
constexpr u32 kTilesReceived = 0x28;

constexpr const char* kAnyWriter =
    "another core of this tile, a packer, a NoC write from another tile, or the host";

const char* mailbox_end(u32 end) {
  constexpr const char* kNames[] = {"BRISC", "TRISC0", "TRISC1", "TRISC2"};
  return kNames[end & 3];
}

}  // namespace

CoreWait Tile::waiting(CoreId id) const {
  const CoreSlot& slot = slots_[index(id)];
  if (slot.status == CoreStatus::Halted) return waiting_for_debugger(index(id));
  const u32 buffer = (slot.block_address >> 16) & 3;
  const u32 thread =
      id >= CoreId::Trisc0 ? index(id) - index(CoreId::Trisc0) : (buffer < kThreads ? buffer : 0);
  const auto thread_words = [&] {
    const tensix::ThreadWait wait = coprocessor_->waiting(thread);
    return wait.waiting ? fmt::format("thread {} itself, which waits: {}", thread, wait.what)
                        : fmt::format("thread {} itself", thread);
  };
  switch (slot.block) {
    case BlockKind::FifoFull:
      return {fmt::format("room in the instruction FIFO of thread {}", thread), thread_words()};
    case BlockKind::CoprocessorDone:
      return {fmt::format("thread {} to finish all its instructions (TTSync)", thread),
              thread_words()};
    case BlockKind::MopDone:
      return {fmt::format("the MOP expander of thread {} to finish", thread), thread_words()};
    case BlockKind::MailboxEmpty:
      return {fmt::format("a word in the mailbox from {}", mailbox_end(slot.block_address >> 12)),
              mailbox_end(slot.block_address >> 12)};
    case BlockKind::MailboxFull:
      return {fmt::format("room in the mailbox to {}", mailbox_end(slot.block_address >> 12)),
              "whoever reads the mailboxes that this core fills"};
    case BlockKind::PcBufEmpty:
      return {"a word in its PCBuf", "BRISC"};
    case BlockKind::PcBufFull:
      return {fmt::format("room in the PCBuf of TRISC{}", thread), fmt::format("TRISC{}", thread)};
    case BlockKind::PcBufBarrier:
      return {fmt::format("TRISC{} to drain its PCBuf and wait, and thread {} to be idle", thread,
                          thread),
              fmt::format("TRISC{}", thread)};
    case BlockKind::TtSyncLoad:
    case BlockKind::TtSyncStore:
      return {fmt::format("instructions of thread {} that use what it accesses at 0x{:08x} (Auto "
                          "TTSync)",
                          thread, slot.block_address),
              thread_words()};
    case BlockKind::PackedTile:
      return {"a tile in the packer's metadata FIFO", "whoever issues PACR with Last"};
    case BlockKind::None:
      break;
  }
  return waiting_in_loop(slot);
}

CoreWait Tile::waiting_in_loop(const CoreSlot& slot) const {
  if (slot.status != CoreStatus::Parked) return {};
  const u32 resources = slot.reads.resources();
  std::string what;
  std::string who;
  const auto add = [](std::string& text, const std::string& part) {
    if (part.empty() || text.find(part) != std::string::npos) return;
    if (!text.empty()) text += "; ";
    text += part;
  };
  for (unsigned noc = 0; noc < kNocs; ++noc) {
    if ((resources & mask_of(niu_of(noc))) == 0) continue;
    const std::string outstanding = nius_[noc]->outstanding();
    add(what, outstanding.empty() ? fmt::format("a register of NIU {}", noc)
                                  : fmt::format("NoC {}: {}", noc, outstanding));
    add(who, outstanding.empty() ? "whoever sends to this tile on that NoC"
                                 : "the target of the outstanding transactions");
  }
  if ((resources & mask_of(Resource::Stream)) != 0) describe_streams(slot, what, who);
  if ((resources & mask_of(Resource::Semaphore)) != 0) {
    for (u32 s = 0; s < 8; ++s)
      add(what, fmt::format("semaphore {} is {}", s, coprocessor_->read_semaphore(s)));
    add(who, "SEMPOST or SEMGET of a thread, or another TRISC through the semaphore window");
  }
  constexpr Resource kPlain[] = {Resource::Mailbox, Resource::Config,  Resource::Gpr,
                                 Resource::Dst,     Resource::Tdma,    Resource::Debug,
                                 Resource::Pic,     Resource::Ethernet};
  for (const Resource resource : kPlain) {
    if ((resources & mask_of(resource)) == 0) continue;
    add(what, fmt::format("a change of a {}", name_of(resource)));
    add(who, "another core of this tile");
  }
  for (unsigned i = 0; i < slot.reads.count(); ++i) {
    const u32 address = slot.reads.word(i);
    add(what, fmt::format("L1[0x{:05x}] is 0x{:08x}", address, l1_.read32(address)));
  }
  if (slot.reads.count() != 0) add(who, kAnyWriter);
  if (what.empty()) what = "nothing at all: an endless loop that reads nothing";
  return {what, who};
}

void Tile::describe_streams(const CoreSlot& slot, std::string& what, std::string& who) const {
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
  // Whoever compares both counters waits for a page or for room: an empty buffer has room.
  if (read_lately(kTilesReceived) && read_lately(kTilesAcked)) {
    const u32 received = value_of(kTilesReceived);
    const u32 acked = value_of(kTilesAcked);
    what = fmt::format("circular buffer of stream {}: {} pages received, {} acknowledged", stream,
                       received, acked);
    who = received == acked ? "the producer of that circular buffer (push_back)"
                            : "the consumer (pop_front), or the producer of more pages (push_back)";
    return;
  }
  const u32 reg = offset - base;
  const char* meaning = reg == kTilesReceived ? " (pages received)"
                        : reg == kTilesAcked  ? " (pages acknowledged)"
                                              : "";
  what = fmt::format("stream {} register 0x{:02x}{} is {}", stream, reg, meaning, value_of(reg));
  who = reg == kTilesReceived ? "the producer of that circular buffer (push_back)"
        : reg == kTilesAcked  ? "the consumer of that circular buffer (pop_front)"
                              : "whoever writes that stream register";
}

}  // namespace bhemu::tile
