// Runs nodes in epochs, on any number of host threads, with the same result for every number.
//
// An epoch is as long as the shortest path between two nodes, so what one node sends in an epoch
// cannot reach another before the next: nodes run alone, and packets change hands at the edge.
// Their order at the receiver (arrival, source, sequence) does not depend on who ran whom.
// Epochs in which nobody has anything to do are skipped. A multicast is kept as one until the epoch
// in which it arrives: then receivers that sleep have it written for them in one pass.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "noc/node.hpp"

namespace bhemu::sched {

enum class Stop : u8 {
  Asked,    // the predicate held
  Limit,    // the cycle limit was reached
  Idle,     // no node will ever act again by itself
  Faulted,  // a node raised a fault of severity Error
};

class Engine {
 public:
  /// Makes a node that is touched for the first time, which calls `add`.
  using MakeNode = std::function<noc::Node&(NodeId)>;
  /// Of `nodes` nodes, which outlive the engine. `threads` >= 1 counts the caller's.
  Engine(unsigned nodes, MakeNode make, Cycle epoch, unsigned threads);
  ~Engine();

  /// A node that has been made. Between epochs. Others are taken to sleep.
  void add(noc::Node& node);
  Cycle now() const { return now_; }
  /// Runs until cycle `limit` (rounded up to an epoch edge) or an earlier reason to stop.
  /// `asked` is evaluated at every epoch edge at which some node has acted, the first included.
  Stop run(Cycle limit, const std::function<bool()>& asked);
  /// Lets time pass over a stretch in which no node acts (after Stop::Idle). No-op for the past.
  void skip_to(Cycle cycle) {
    if (cycle > now_) now_ = cycle - now_ <= epoch_ ? now_ + epoch_ : last_edge(cycle);
  }
  /// No node will ever act again by itself, as far as is known without asking.
  bool idle() const {
    return active_.empty() && earliest_sleeper_ == kNever && now_ >= busy_until_;
  }
  /// No node acts before this cycle by itself; the present: one may act now.
  Cycle sleeps_until() const { return nobody_acts() ? std::max(now_, earliest_sleeper_) : now_; }
  /// Nodes that have not been made are at work until this edge, and reach nobody: until then no
  /// epoch is passed over.
  void count_as_busy_until(Cycle edge) { busy_until_ = edge; }
  /// The host has written to this node: it may have something to do now.
  void touch(NodeId node);
  /// Called at every epoch edge, after packets have changed hands, on the thread of `run`.
  void on_edge(std::function<void()> edge) { edge_ = std::move(edge); }
  u64 packets() const { return packets_; }
  /// Time, for snapshots; the nodes are the caller's, and are saved or loaded after it.
  void archive(Archive& archive);

 private:
  struct Workers;
  bool nobody_acts() const { return active_.empty() && multicasts_.empty() && now_ >= busy_until_; }
  Cycle last_edge(Cycle limit) const;
  void gather(Cycle until);
  bool list_if_due(NodeId node, Cycle until);
  void run_epoch(Cycle until);
  bool retire();
  void expect(NodeId node, Cycle cycle);
  void exchange();
  void deliver(noc::Packet&& packet);
  void serve_multicasts(Cycle until);
  void hand_over_multicasts();
  Stop run_epochs(Cycle limit, const std::function<bool()>& asked);

  std::vector<noc::Node*> nodes_;  // null: not made yet
  MakeNode make_;
  // Cost follows what is active: the nodes of the coming epoch are listed, the others are only
  // known by the earliest cycle at which one of them wakes.
  std::vector<Cycle> next_;   // by node: first cycle with something to do
  std::vector<bool> listed_;  // by node: in active_
  // Between two runs a host mostly touches nodes that would have slept for ever: then only they
  // need to be asked when they act, as long as nobody else's time has changed since the first of
  // them.
  std::vector<NodeId> touched_;
  bool others_changed_ = true;
  Cycle earliest_other_ = 0;  // of the sleepers that are not in touched_
  std::vector<noc::Node*> active_;
  Cycle earliest_sleeper_ = 0;
  std::vector<noc::Outbox> outboxes_;  // one per host thread
  // They arrive in the coming epoch; none between two runs.
  std::vector<noc::Multicast> multicasts_;
  std::vector<noc::Acknowledgements> acknowledgements_;
  Cycle epoch_;
  Cycle now_ = 0;
  Cycle busy_until_ = 0;  // count_as_busy_until
  u64 packets_ = 0;
  std::function<void()> edge_;
  std::unique_ptr<Workers> workers_;
};

}  // namespace bhemu::sched
