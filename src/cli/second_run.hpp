// The run of a program again, with every check, when its result was wrong.
#pragma once

#include "cli/options.hpp"
#include "host/machine.hpp"

namespace bhemu::cli {

/// A wrong result says nothing of its cause: the same once more. What is found becomes `ran`'s.
void look_for_cause(const CommonOptions& options, host::Machine& machine,
                    const host::PreparedProgram& prepared, host::Outcome& ran);

}  // namespace bhemu::cli
