// A node of the chip: a Tensix tile, a DRAM bank, the PCIe endpoint, the ARC, an Ethernet tile.
//
// Nodes meet only through packets. Between two epoch edges each node runs alone, on any host
// thread; what it sends goes to the Outbox of that run and is handed over at the edge.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "base/delays.hpp"
#include "base/fault.hpp"
#include "noc/multicast.hpp"
#include "noc/packet.hpp"

namespace bhemu::trace {
class Observer;
class Port;
}  // namespace bhemu::trace

namespace bhemu::noc {

/// Packets that a node sent during the epoch which another node must see. One per host thread.
struct Outbox {
  std::vector<Packet> packets;
  std::vector<Multicast> multicasts;
};

/// Packets on their way to one node, earliest first. Packets stay where they are put; what is
/// sorted are their places. Acknowledgements that came as one have the place of the first of them.
class ArrivalQueue {
 public:
  bool empty() const { return order_.empty(); }
  Cycle next() const { return order_.empty() ? kNever : order_.front().arrival; }
  void push(Packet&& packet) {
    Entry entry{packet.arrival, packet.sequence, packet.source, 0};
    if (free_.empty()) {
      entry.place = static_cast<u32>(packets_.size());
      packets_.push_back(std::move(packet));
    } else {
      entry.place = free_.back();
      free_.pop_back();
      packets_[entry.place] = std::move(packet);
    }
    order_.push_back(entry);
    std::push_heap(order_.begin(), order_.end(), LaterPacket{});
  }
  void push(Acknowledgements&& all);
  /// What comes next are several packets, for pop_all. That they may be taken as one is the
  /// caller's to know; if they may not, they come again one by one.
  bool next_is_several() const { return !order_.empty() && order_.front().place == kSeveral; }
  Acknowledgements pop_all();
  Packet pop() {
    std::pop_heap(order_.begin(), order_.end(), LaterPacket{});
    const u32 place = order_.back().place;
    order_.pop_back();
    free_.push_back(place);
    return std::move(packets_[place]);
  }
  void archive(Archive& archive);

 private:
  static constexpr u32 kSeveral = ~0u;  // a place in several_

  struct Entry {
    Cycle arrival;
    u64 sequence;
    NodeId source;
    u32 place;
  };
  std::vector<Entry> order_;  // a heap
  std::vector<Packet> packets_;
  std::vector<u32> free_;  // places of packets_ that hold none
  std::vector<Acknowledgements> several_;
};

/// Memory of a node from its address 0 on that a host may read between epochs without asking
/// anybody, and write where the flags (mem/l1.hpp) of its line are zero, or where there are none.
struct PlainMemory {
  u8* data = nullptr;
  const u8* flags = nullptr;
  u64 bytes = 0;
};

/// How a node can answer the host: an address that nothing answers is false, never zero.
class Node {
 public:
  Node(NodeKind kind, NodeId id, const FaultPolicy* policy)
      : kind_(kind), id_(id), faults_(id, policy) {}
  virtual ~Node() = default;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  NodeKind kind() const { return kind_; }
  NodeId id() const { return id_; }
  FaultPort& faults() { return faults_; }
  const FaultPort& faults() const { return faults_; }

  /// The first cycle at which this node has something to do; kNever when it sleeps.
  virtual Cycle next_cycle() const = 0;
  /// Does everything that happens before cycle `until`; sends through `outbox`.
  virtual void run_until(Cycle until, Outbox& outbox) = 0;
  /// At epoch edges only. packet.arrival is not in this node's past.
  virtual void deliver(Packet&& packet) = 0;
  virtual void deliver_all(Acknowledgements&& all) {
    for (const Acknowledgements::Sender& sender : all.senders) deliver(all.packet_of(sender));
  }
  /// A request of a multicast for this node, which has nothing else to do before it arrives. True:
  /// it has had its effect, in the cycle of its arrival, nobody was roused, and its
  /// acknowledgement, if it wants one, is among `answers`. False: nothing has happened, and it is
  /// to be delivered.
  virtual bool receive_at_rest(const Packet&, Acknowledgements&) { return false; }

  /// Host access at cycle `now` (between epochs), any size and alignment that silicon would allow
  /// through a TLB window. False: nothing there (or no right); a Fault says more.
  virtual bool host_read(u64 address, std::span<u8> bytes, Cycle now) = 0;
  virtual bool host_write(u64 address, std::span<const u8> bytes, Cycle now) = 0;

  /// None: every access goes through the two above. The memory stays where it is.
  virtual PlainMemory plain_memory() { return {}; }

  /// Mixes all guest-visible state into `seed`.
  virtual u64 hash(u64 seed) const = 0;
  /// Everything that a node of the same kind needs to go on from here; at an epoch edge.
  virtual void archive(Archive& archive) = 0;
  /// Bytes of host memory mapped for guest memory are not counted here; see Device::report.
  /// Power on: memory, registers and what was under way are gone.
  virtual void reset(Cycle now) = 0;

  /// Where to tell what happens; null: nowhere. Between runs only, and after settling.
  void set_trace(trace::Port* port) { trace_ = port; }
  /// At the epoch edge `now`: puts into the trace what has happened in the meantime although
  /// nobody has executed it.
  virtual void catch_up_trace(Cycle) {}
  /// Whom to tell of everything (trace/observer.hpp); null: nobody. Between runs only, and after
  /// settling.
  virtual void set_observer(trace::Observer* observer) { observer_ = observer; }
  trace::Observer* observer() const { return observer_; }
  /// What happens here late from now on (base/delays.hpp); null: nothing. Between runs only.
  virtual void set_delays(std::shared_ptr<const DelayPlan> plan) {
    delays_ = plan == nullptr ? nullptr : std::make_unique<Delays>(id_, std::move(plan));
  }
  const Delays* delays() const { return delays_.get(); }

 protected:
  NodeKind kind_;
  NodeId id_;
  FaultPort faults_;
  trace::Port* trace_ = nullptr;
  trace::Observer* observer_ = nullptr;
  std::unique_ptr<Delays> delays_;
};

}  // namespace bhemu::noc
