// The run of a program again, with every check and with everybody who writes looked at, when the
// first run alone does not tell what was wrong.
#pragma once

#include "cli/options.hpp"
#include "host/machine.hpp"

namespace bhemu::cli {

/// After a wrong result, a hang or a fault: the same once more. What it tells becomes `ran`'s first
/// cause or is added to it.
void look_for_cause(const CommonOptions& options, host::Machine& machine,
                    const host::PreparedProgram& prepared, host::Outcome& ran);

}  // namespace bhemu::cli
