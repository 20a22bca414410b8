// What is checked all the time, because it costs next to nothing: a ledger of the pages of each
// circular buffer and of the NoC requests under way (rules/check.def; docs/DEBUGGING.md, "Checks").
// Nobody in the chip sees any of it, so it is neither hashed nor saved.
//
// A request counts as awaited when its core has read, after it, a counter of the right kind of the
// right NIU: that is what a barrier does. Whoever only looks and does not wait is not found out.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <vector>

#include "base/check_groups.hpp"
#include "base/fault.hpp"
#include "noc/niu.hpp"
#include "noc/packet.hpp"
#include "noc/stream.hpp"
#include "tile/push_log.hpp"
#include "tile/software.hpp"

namespace bhemu::tile {

/// A NoC request of a core of this tile.
struct Transfer {
  noc::PacketKind kind = noc::PacketKind::ReadRequest;
  u8 noc = 0;
  bool posted = false;
  Agent agent = Agent::Host;
  u32 pc = 0;
  Cycle issued = 0;
  u32 local = 0;  // of a write with a source in L1, of a read with its data for L1
  u32 length = 0;
  u32 answers = 0;
  u32 tracking = noc::kUntracked;

  bool overlaps(u32 address, u32 bytes) const {
    return address < local + length && local < address + bytes;
  }
};

class Checks final : public noc::NiuChecks {
 public:
  Checks(Tile& tile, CheckSet set, std::shared_ptr<const Software> software, Cycle one_way);

  /// One of the two counters of a circular buffer is about to change; `other` is the other one.
  /// True: the author must stop.
  bool counter_written(u32 stream, bool received, u32 before, u32 after, u32 other,
                       const Author& author);
  void requested(const noc::Packet& packet, u64 local, u32 answers) override;
  void answered(const noc::Packet& packet, Cycle now) override;
  /// A core has read a register of an NIU.
  void looked(unsigned core, unsigned noc, u32 offset, Cycle now);
  /// L1 is about to be written, in a line with L1::kSource.
  void before_write(u32 address, u32 bytes, const Author& author);
  /// The program has ended: reads that nobody has waited for.
  void finish(Cycle now);
  void forget();

  /// Reads whose data has not landed in these bytes; for the observer that looks at loads.
  const Transfer* landing(u32 address, u32 bytes) const;
  /// Of a card with a client: remembers where instructions come from.
  void keep_pushes() { pushes_ = std::make_unique<PushLog>(); }
  PushLog* pushes() const { return pushes_.get(); }  // null: they are not kept
  bool raise_early_read(const Transfer& read, u32 address, u32 bytes, const Author& author);

 private:
  enum class Look : u8 { Reads, Writes, Departures, Atomics };
  static constexpr unsigned kLooks = 4;
  struct Buffer {
    bool known = false;  // place was asked for
    bool lost = false;   // a counter was set to something that is no count of pages
    BufferPlace place;
    u32 pushed = 0;
    u32 popped = 0;
  };
  struct Landed {
    Agent agent = Agent::Host;
    u32 pc = 0;
    u8 noc = 0;
    Cycle issued = 0;
    u32 address = 0;
  };

  bool has(CheckGroup group) const { return set_.has(group); }
  bool in_kernel(const Author& author);
  bool check_push(u32 index, Buffer& buffer, u32 filled, u32 added, const Author& author);
  bool check_pop(u32 index, Buffer& buffer, u32 filled, u32 added, const Author& author);
  /// Calls visit(address, bytes) for `count` pages from number `first` on, in one or two pieces.
  template <class Visit>
  void each_page(const Buffer& buffer, u32 first, u32 count, Visit visit) const;
  bool check_ended(const Transfer& transfer, Cycle now);
  Cycle last_look(const Transfer& transfer, Look look) const;
  bool departed(const Transfer& transfer) const;
  bool is_awaited(const Transfer& transfer) const;
  /// The core has waited since, but not for this; null: it has not.
  const char* wrong_look(const Transfer& transfer) const;
  [[gnu::cold]] bool raise(Rule rule, const Transfer& transfer, const Author& author,
                           std::string text);
  void drop_posted(Cycle now);
  std::string name(const Transfer& transfer) const;

  Tile& tile_;
  CheckSet set_;
  std::shared_ptr<const Software> software_;
  Cycle one_way_;
  std::unique_ptr<PushLog> pushes_;
  std::array<Buffer, noc::kStreams> buffers_{};
  std::deque<Transfer> transfers_;  // under way, oldest first
  std::vector<Landed> landed_;      // reads that their cores have not looked for since
  std::array<std::array<std::array<Cycle, kLooks>, kNocs>, kCores> looks_{};
};

}  // namespace bhemu::tile
