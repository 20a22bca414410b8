#include "cli/second_run.hpp"

#include "host/cause.hpp"

namespace bhemu::cli {

void look_for_cause(const CommonOptions& options, host::Machine& machine,
                    const host::PreparedProgram& prepared, host::Outcome& ran) {
  constexpr double kLongest = 20;  // seconds of the host, of the run
  if (ran.status != host::Status::WrongResult || !options.check.empty() || ran.seconds > kLongest)
    return;
  DeviceOptions all = machine.device().options();
  all.checks = CheckSet::all();
  host::Machine again(all, firmware_of(options));
  if (options.max_cycles != 0) again.set_limit(options.max_cycles);
  if (again.boot().status != host::Status::Ok) return;
  host::Outcome checked = again.run_unsaved(prepared);
  const host::FaultReport* first = host::first_of(checked.faults);
  if (first == nullptr) return;
  ran.standstill.cause = host::cause_of(*first, checked.faults);
  ran.faults = std::move(checked.faults);
}

}  // namespace bhemu::cli
