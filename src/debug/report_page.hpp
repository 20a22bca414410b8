// A run as one page of HTML that needs nothing else: the grid, the graph of waits, buffers,
// semaphores, registers and tiles as pictures, the profile and a timeline (docs/DEBUGGING.md).
#pragma once

#include <string>

#include "debug/profile/profile_report.hpp"
#include "host/boot/machine.hpp"

namespace bhemu::debug {

struct ReportInput {
  std::string name;                         // of the program
  const host::Outcome* outcome;             // of the last phase
  const Profile* profile = nullptr;         // null: the program never started
  const ProfileSummary* summary = nullptr;  // the same
};

std::string report_page(host::Machine& machine, const ReportInput& input);

}  // namespace bhemu::debug
