// Which events a trace has.
#pragma once

#include <vector>

#include "trace/event.hpp"

namespace bhemu::trace {

struct Selection {
  static constexpr u32 kAll = (1u << kWhats) - 1;
  u32 what = kAll;          // a bit per What
  std::vector<bool> nodes;  // by node; empty: all
  static constexpr u32 kAllCores = (1u << (kCores + kEthernetCores)) - 1;
  u32 cores = kAllCores;  // a bit per CoreId; a thread counts as its TRISC
  Cycle from = 0;         // first cycle
  Cycle until = kNever;   // first cycle that is not traced any more
  u64 limit = ~u64{0};    // events

  bool wants(What kind) const { return (what >> static_cast<unsigned>(kind) & 1) != 0; }
  bool wants_node(NodeId node) const {
    return nodes.empty() || (node < nodes.size() && nodes[node]);
  }
  /// Agents that are neither cores nor threads are never left out.
  bool wants_agent(Agent agent) const {
    if (is_core(agent)) return (cores >> static_cast<unsigned>(core_of(agent)) & 1) != 0;
    auto index = static_cast<unsigned>(agent);
    if (agent > Agent::Thread2) return true;
    index += static_cast<unsigned>(CoreId::Trisc0) - static_cast<unsigned>(Agent::Thread0);
    return (cores >> index & 1) != 0;
  }
};

}  // namespace bhemu::trace
