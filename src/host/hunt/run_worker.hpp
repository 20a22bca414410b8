// Processes that make runs of one program with different delays: each has a machine of its own,
// booted once, and goes back to that point before every run.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "host/hunt/delay_hunt.hpp"

namespace bhemu::host {

/// What a program has computed, as far as timing must not change it: L1 behind the firmware's
/// mailboxes, DRAM, and the coprocessor's register files of the program's tiles.
u64 result_of(Device& device, const PreparedProgram& program, const Firmware& firmware);
/// A run of `program` on a machine that has booted.
Verdict verdict_of(Machine& machine, const PreparedProgram& program, const DelayPlan& plan);

struct WorkerSettings {
  DeviceOptions device;
  std::string firmware;  // a directory; empty: our own
  Cycle limit = kNever;  // of a run
};

class RunWorkers {
 public:
  /// Starts the processes. Before this process has threads of its own.
  RunWorkers(const WorkerSettings& settings, const Program& program, unsigned jobs);
  ~RunWorkers();
  RunWorkers(const RunWorkers&) = delete;
  RunWorkers& operator=(const RunWorkers&) = delete;

  /// In the order of the plans. Throws InputError when a process has ended.
  std::vector<Verdict> run(std::span<const DelayPlan> plans);
  /// Cycles that a run may take from now on.
  void set_limit(Cycle limit) { limit_ = limit; }

 private:
  struct Process;
  std::vector<std::unique_ptr<Process>> processes_;
  Cycle limit_ = kNever;
};

}  // namespace bhemu::host
