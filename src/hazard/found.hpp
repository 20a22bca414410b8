// What watching a node has brought: findings, and what a second pass of the same run should know.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "race/finding.hpp"
#include "race/locks.hpp"
#include "race/sync_word.hpp"

namespace bhemu::hazard {

/// Words of which looks depend on who was first, with all that is done to them.
using RaceChanges = std::vector<std::pair<u64, std::shared_ptr<const race::SyncWord::Changes>>>;

/// What was found in one node.
struct Found {
  std::vector<race::Finding> findings;  // of all levels, contracts told apart
  std::vector<race::Epoch> wanted;      // actions whose sites were no longer known
  std::vector<u64> sync_words;          // of L1, by which agents turned out to signal each other
  std::vector<race::LockWord> locks;
  std::vector<u64> racy;  // lines with findings (race/guard.hpp)
  RaceChanges changes;
  bool is_full = false;  // recording has stopped at the limit of memory
};

/// For the second pass of the same run.
struct Hints {
  std::vector<u64> sync_words;
  std::vector<race::Epoch> wanted;
  std::vector<race::LockWord> locks;
  RaceChanges changes;
  std::vector<u64> racy;
};

}  // namespace bhemu::hazard
