// Where the units of one node put their events. A node runs on one thread at a time, so nothing
// here is shared; the collector takes the events away between epochs.
//
// A node without a port is not traced and must pay nothing for that: it looks for its port only
// where an event is rare, or once per epoch.
#pragma once

#include <vector>

#include "trace/repeats.hpp"
#include "trace/selection.hpp"

namespace bhemu::trace {

class Port {
 public:
  /// `first` is the first core of the node's tile, for nodes with cores.
  Port(NodeId node, const Selection& selection, CoreId first = CoreId::Brisc)
      : node_(node), selection_(selection), first_(first) {}

  bool wants(What what) const { return selection_.wants(what); }
  bool wants(What what, Agent agent) const {
    return selection_.wants(what) && selection_.wants_agent(agent);
  }
  /// Instructions of this core have to be looked at one by one.
  bool follows(unsigned core) const {
    const Agent agent = this->agent(core);
    return wants(What::Riscv, agent) || wants(What::Stall, agent) || wants(What::Tensix, agent);
  }
  /// So have the threads' instructions.
  bool follows_threads() const {
    return wants(What::Tensix) || wants(What::Stall) || wants(What::Sync);
  }
  /// Some cycle of [begin, end) is traced.
  bool covers(Cycle begin, Cycle end) const {
    return begin < selection_.until && end > selection_.from;
  }
  bool covers(Cycle cycle) const { return covers(cycle, cycle + 1); }
  Cycle from() const { return selection_.from; }
  Cycle until() const { return selection_.until; }

  /// Left out if nobody wants it. `subject` decides on behalf of the agent whether it is wanted.
  void add(Cycle cycle, Agent agent, Detail detail) { add(cycle, agent, agent, std::move(detail)); }
  void add(Cycle cycle, Agent agent, Agent subject, Detail detail);

  // --- A core's instructions, in order.
  /// What an instruction has caused is put in while it executes; it belongs before that: `mark()`
  /// before it executes, `retired` after.
  std::size_t mark() const { return events_.size(); }
  void retired(std::size_t mark, unsigned core, Cycle cycle, const Retired& retired);
  /// A thread's instruction, `mark` as above.
  void executed(std::size_t mark, unsigned thread, Cycle cycle, const Executed& executed);
  /// The core does something else than to execute the next instruction.
  void end_repeats(unsigned core);
  Repeats& repeats(unsigned core) { return repeats_[core]; }

  /// A wait that has begun and not ended, of a core or (from kCores on) a thread.
  struct Stall {
    bool open = false;
    Cycle begin = kNever;
    Reason reason{};
  };
  Stall& stall(unsigned index) { return stalls_[index]; }
  void end_stall(std::size_t mark, unsigned index, Cycle cycle, u32 at);
  /// What is known of the past means nothing any more (a snapshot was restored).
  void forget();

  std::vector<Event>& events() { return events_; }
  std::size_t& faults_seen() { return faults_seen_; }

 private:
  Agent agent(unsigned core) const {
    return agent_of(static_cast<CoreId>(static_cast<unsigned>(first_) + core));
  }
  void insert(std::size_t at, Cycle cycle, Agent agent, Detail detail);

  NodeId node_;
  const Selection& selection_;
  CoreId first_;
  std::vector<Event> events_;
  std::array<Repeats, kCores> repeats_;
  std::array<Stall, kCores + kThreads> stalls_{};
  std::size_t faults_seen_ = 0;
};

}  // namespace bhemu::trace
