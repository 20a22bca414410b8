// The state of one NIU: plain data.
#pragma once

#include <vector>

#include "base/archive.hpp"
#include "base/types.hpp"
#include "mem/arena.hpp"
#include "noc/packet.hpp"
#include "noc/registers.hpp"

namespace bhemu::noc {

/// A request whose response is still to come; for the hang report only.
struct Outstanding {
  PacketKind kind = PacketKind::ReadRequest;
  u8 transaction_id = 0;
  NodeId target = kNoNode;  // of a broadcast: the first receiver
  u16 responses = 0;        // still expected; 0: this entry is free
  u32 length = 0;
  u64 address = 0;
  Cycle issued = 0;
  u32 next_free = kUntracked;
};

/// A request that has been given to the NIU and waits for its way out, or whose source is being
/// read: with delays, and in timings that put effects off.
struct Departure {
  Packet packet;
  std::vector<std::pair<NodeId, Coord>> targets;
  u64 source = 0;  // of a write's data, to be read when it leaves
  u32 source_bytes = 0;
  bool is_write = false;
  Cycle at = 0;     // when something happens next
  Cycle begin = 0;  // of reading
  u32 span = 0;     // cycles that reading takes; 0: it is read as a whole when it leaves
  u32 read = 0;     // bytes of the source

  Cycle end() const { return begin + span; }

  void archive(Archive& archive);
};

/// When the last packet of a channel to a target arrives: none overtakes it.
struct ChannelEnd {
  NodeId target = kNoNode;
  u8 channel = 0;
  Cycle arrival = 0;
};

struct NiuState {
  explicit NiuState(InZeroedMemory zeroed) {
    if (!zeroed.holds) words = {};
  }

  /// Every register by byte offset / 4, counters included.
  std::array<u32, kNiuWords> words;

  /// A linked transaction is open: where its requests must go (MemoryMap.md, NOC_CMD_VC_LINKED).
  bool linked = false;
  u32 linked_coordinate = 0;
  u32 linked_control = 0;

  std::vector<Outstanding> outstanding;
  u32 free_outstanding = kUntracked;
  u32 outstanding_count = 0;

  std::vector<Departure> departures;
  std::vector<ChannelEnd> ends;

  void archive(Archive& archive) {
    archive.value(words);
    archive.value(linked);
    archive.value(linked_coordinate);
    archive.value(linked_control);
    archive.vector(outstanding);
    archive.value(free_outstanding);
    archive.value(outstanding_count);
    u64 count = departures.size();
    archive.value(count);
    if (archive.is_loading()) departures.assign(count, {});
    for (Departure& departure : departures) departure.archive(archive);
    archive.vector(ends);
  }
};

}  // namespace bhemu::noc
