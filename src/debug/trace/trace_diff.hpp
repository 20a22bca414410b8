// Where two traces begin to differ, agent by agent.
#pragma once

#include <string>
#include <vector>

#include "base/types.hpp"

namespace bhemu::debug {

struct TraceDifference {
  std::string tile;   // "1-2"
  std::string agent;  // "trisc0"
  u64 before = 0;     // events of the agent that are the same in both
  /// The lines as they stand in the files; empty: that trace has no more of this agent.
  std::string first;
  std::string second;
  u64 first_line = 0;  // from 1; 0: none
  u64 second_line = 0;
};

struct TraceDiff {
  u64 agents = 0;  // in either
  u64 events = 0;  // compared
  /// At most one of each agent, by where it begins in the first trace.
  std::vector<TraceDifference> differences;
};

/// Text and lines of JSON are told apart by themselves, but both must be of one kind.
/// `with_cycles`: events in other cycles differ. Throws host::InputError.
TraceDiff diff_traces(const std::string& first, const std::string& second, bool with_cycles);

std::string text_of(const TraceDiff& diff);

}  // namespace bhemu::debug
