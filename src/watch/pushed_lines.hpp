// The user's line of a thread's instruction that broke a rule, where its word stands in no kernel's
// code, or in several places: from the push that it came from, which a second run has seen.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "host/report/cause.hpp"
#include "host/report/report.hpp"
#include "watch/pushes.hpp"

namespace bhemu::watch {

/// Of which instructions of which node the push is wanted.
std::map<NodeId, std::vector<Traced>> without_line(const std::vector<host::FaultReport>& reports);
/// Adds the lines to the reports and, if it begins with the first of them, to the first cause.
/// `cause`: null where no rule has ended the run.
void add_lines(std::vector<host::FaultReport>& reports, host::FirstCause* cause,
               const PushesOfDevice& pushes, const host::CodeMap& code);

}  // namespace bhemu::watch
