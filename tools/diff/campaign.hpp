// Many programs of one class on two simulators: what came of each, counted.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "diff/classes.hpp"
#include "diff/runner.hpp"

namespace bhemu::diff {

enum class Verdict : u8 { Same, Differ, WeRefuse, PeerRefuses, BothRefuse };
inline constexpr size_t kVerdicts = 5;

using Runner = std::function<Outcome(const Program&)>;
/// A pair of simulators; each worker has its own.
struct Pair {
  Runner ours;
  Runner other;
};

struct Comparison {
  Verdict verdict = Verdict::Same;
  Outcome ours;
  Outcome other;
};

Comparison compare(const Program& program, const Pair& pair);

struct CampaignOptions {
  u64 count = 100;
  u64 first_seed = 1;
  unsigned jobs = 1;
  bool shrink = false;
  bool whole_listing = false;
  bool both_refused = false;  // programs that both refuse are described too
  u64 shown = 5;              // as many programs are described
};

/// A program with a difference, or one that only bhemu refuses.
struct Finding {
  u64 seed = 0;
  Verdict verdict = Verdict::Differ;
  std::string listing;
  std::vector<std::string> places;  // of the dump that differ
};

struct Tally {
  std::array<u64, kVerdicts> verdicts{};
  std::map<std::string, u64> peer_reasons;  // of programs that bhemu runs
  std::map<std::string, u64> rules;         // of bhemu's faults: by the rule's name, or "hung"
  std::vector<Finding> findings;            // by seed

  u64 of(Verdict verdict) const { return verdicts[static_cast<size_t>(verdict)]; }
};

/// `make_pair` is called once for each job.
Tally run_campaign(const ProgramClass& kind, const CampaignOptions& options,
                   const std::function<Pair()>& make_pair);

}  // namespace bhemu::diff
