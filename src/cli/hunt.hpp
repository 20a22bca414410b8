// bhemu run --race: the race detector beside a run.
#pragma once

#include <memory>
#include <optional>

#include "cli/commands.hpp"
#include "host/boot/machine.hpp"
#include "host/report/races.hpp"

namespace bhemu::cli {

/// Exit status of a program that did all it should and has races.
inline constexpr int kRacy = 1;

class RaceHunt {
 public:
  /// Watches the machine, if the options say so. Throws host::InputError.
  RaceHunt(const CommonOptions& options, host::Machine& machine,
           const host::PreparedProgram& prepared);
  /// What was found, null when nobody looked. Where the run has shown words by which cores signal
  /// each other, it is made once more, knowing them. Writes the files that were asked for.
  const host::RaceReport* report();

 private:
  const CommonOptions& options_;
  host::Machine& machine_;
  const host::Program& program_;  // as it ran, with what its sources were compiled to
  host::RaceOptions race_;
  std::unique_ptr<host::RaceWatch> watch_;
  std::optional<host::RaceReport> report_;
};

/// To standard output when there is anything to say, or standard error.
void tell(const host::RaceReport& races, bool quiet);

}  // namespace bhemu::cli
