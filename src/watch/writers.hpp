// Who has written each place of a device last, and what the writing instructions had read, so that
// a value can be followed back: from the packer to rows of Dst, to the matrix unit, to rows of Src,
// to the unpacker, to L1, to the NoC, to DRAM, to the host.
//
// Of what each instruction of the coprocessor has read, the last kRecords instructions of a tile
// that wrote Dst, Src, LRegs, GPRs or memory are remembered with the writers at that time; of
// requests over the NoC the last kRequests. The last writer itself is never forgotten.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <unordered_map>

#include "device/device.hpp"
#include "watch/accesses.hpp"
#include "watch/range_map.hpp"

namespace bhemu::watch {

/// A part of a place, and who wrote it.
struct Written {
  Place place;
  Actor writer;
  bool known = true;  // false: nobody, of what an instruction has read all the same
};

/// An instruction of the coprocessor, and where what it read came from.
struct Record {
  std::vector<Written> sources;
  /// What it was told by state that others leave behind: modes that are usually off, and which
  /// lanes are on.
  std::vector<Written> modes;
  /// Which of its results come from which of the sources. Empty: any from any.
  std::vector<tensix::Flow> flows;
  u32 word = 0;
};

/// A change of an object that is like a register.
struct Change {
  Actor actor;
  bool taken = false;  // a word came out of a queue
  u32 before = 0;
  u32 after = 0;
};

/// A request as its sender's tile knows it.
struct Sent {
  trace::Request request;       // without its targets
  NodeId target = kNoNode;      // the first of them
  std::vector<Written> source;  // of a write: what stood in its source when it left
};

class Writers final : public Accesses {
 public:
  Writers(NodeId node, u32 l1_bytes);

  /// Parts of the place that somebody has written.
  std::vector<Written> last(const Place& place);
  /// Of an object: its latest changes, the last one first.
  std::vector<Change> changes(const Place& object) const;
  const Record* record(u64 number) const;
  /// What of the record's sources the place comes from. A block that a packer fills with several
  /// PACRs is written by the last of them; its bytes come from those that put them there.
  std::vector<Written> sources_of(u64 number, const Place& place) const;
  const Sent* sent(u32 request) const;
  /// What a request had read here: who had written it by then.
  const std::vector<Written>* served(const trace::RequestId& id) const;

  void requested(const trace::Request& one) override;
  void arrived(const trace::Arrival& one) override;
  void forget() override;
  bool wants_flows() const override { return true; }

 protected:
  void accessed(const Access& access, const Actor& actor) override;
  void issuing(const trace::Issue& one, Actor& actor) override;

 private:
  static constexpr std::size_t kRecords = 8192;
  static constexpr std::size_t kRequests = 2048;
  static constexpr std::size_t kChanges = 8;   // of an object
  static constexpr std::size_t kSources = 12;  // of an instruction, where each may count
  static constexpr std::size_t kParted = 160;  // where it is known which of them count
  static constexpr std::size_t kParts = 32;    // of a request: a page of a tile is packed in 16

  /// What the record says that the place comes from. False: it says nothing of it.
  bool add_origins(const Record& record, const Place& place, std::vector<Written>& found) const;
  void note_modes(const trace::Issue& one, const Place& place, std::vector<Written>& found) const;
  void find(const Place& place, std::size_t most, std::vector<Written>& found) const;

  std::vector<RangeMap<Actor>> maps_;  // by area
  std::map<std::pair<Area, u64>, std::deque<Change>> changes_;
  std::deque<Record> records_;
  u64 first_record_ = 1;
  std::unordered_map<u32, Sent> sent_;
  std::deque<u32> sent_order_;
  std::map<std::pair<NodeId, u32>, std::vector<Written>> served_;
  std::deque<std::pair<NodeId, u32>> served_order_;
};

/// The last writers of all tiles and DRAM banks of a device, from now on.
class WritersOfDevice {
 public:
  explicit WritersOfDevice(Device& device);
  ~WritersOfDevice();
  WritersOfDevice(const WritersOfDevice&) = delete;
  WritersOfDevice& operator=(const WritersOfDevice&) = delete;

  Device& device() const { return device_; }
  /// Null for a node that has no such memory (PCIe, ARC).
  Writers* of(NodeId node) const { return node < writers_.size() ? writers_[node] : nullptr; }

 private:
  Device& device_;
  unsigned id_ = 0;
  std::vector<Writers*> writers_;  // they belong to the device
};

}  // namespace bhemu::watch
