// The search for delays under which a program does something else (docs/HUNTING.md): which to try,
// in which order, and how to make a list that does it short. It knows nothing of how a run is made:
// it is given a function that makes several at once. What it does depends on its seed and on the
// runs only, not on how many are made at once.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/boot/machine.hpp"
#include "host/hunt/delay_list.hpp"

namespace bhemu::host {

/// What a run came to.
struct Verdict {
  Status status = Status::Ok;
  u64 result = 0;  // hash of what it has computed (run_worker.hpp)
  u64 cycles = 0;
  std::string what;           // one line, for people
  std::vector<Delay> delays;  // as the plan wanted them noted
};
bool differs(const Verdict& verdict, const Verdict& undisturbed);

/// Runs, in the order of the plans.
using Attempts = std::function<std::vector<Verdict>(std::span<const DelayPlan>)>;

/// Two accesses that nothing orders: who was first, where and when, and when the other was.
struct Suspect {
  NodeId node = 0;
  Agent agent = Agent::Host;
  u32 where = 0;      // program counter of a core, or instruction word
  u32 pushed_at = 0;  // of a thread's instruction, 0: not known
  Cycle first = 0;
  Cycle second = 0;
};

struct HuntLimits {
  u64 seed = 1;
  u64 runs = 5000;
  double seconds = 300;
};

struct Catch {
  std::string strategy;
  Verdict verdict;               // of the smallest list
  std::vector<DelayBand> bands;  // the smallest list
  u64 found_after = 0;           // runs
  bool is_smallest = true;       // false: the time was over before that was certain
};

class DelayHunt {
 public:
  DelayHunt(Attempts attempts, HuntLimits limits);

  /// The run without any delay; the others are compared with it.
  const Verdict& undisturbed();
  /// Nothing: all that was tried within the limits came to the same.
  std::optional<Catch> search(std::span<const Suspect> suspects);
  u64 runs() const { return runs_; }
  /// Told of every strategy when it begins.
  void set_progress(std::function<void(const std::string&)> progress) {
    progress_ = std::move(progress);
  }

 private:
  struct Found {
    DelayPlan plan;
    std::string strategy;
  };
  bool is_late() const;
  bool is_over() const;
  std::vector<Verdict> make(std::span<const DelayPlan> plans);
  bool tries(const std::string& strategy, std::vector<DelayPlan> plans);
  std::vector<DelayPlan> late_producers() const;
  std::vector<DelayPlan> flips(std::span<const Suspect> suspects) const;
  std::vector<DelayPlan> seeds(u64 first, u64 count) const;
  std::vector<DelayPlan> grid(unsigned stage) const;
  std::vector<DelayPlan> priorities(u64 round) const;

  Catch shrink();
  bool does_it(const Verdict& verdict) const;
  std::vector<Delay> smaller(std::vector<Delay> delays);
  DelayBand band_of(const std::vector<Delay>& delays, size_t index);

  Attempts attempts_;
  HuntLimits limits_;
  std::function<void(const std::string&)> progress_;
  std::optional<Verdict> undisturbed_;
  std::optional<Found> found_;
  Verdict wanted_;  // what the list that is being made smaller has to come to
  u64 runs_ = 0;
  double began_ = 0;
};

}  // namespace bhemu::host
