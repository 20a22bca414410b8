// The run of a program again, with every check and with everybody who writes looked at, when the
// first run alone does not tell what was wrong.
#pragma once

#include <functional>

#include "host/boot/machine.hpp"

namespace bhemu::watch {

/// After a wrong result, a hang or a fault: the same once more, as `options` and `limit` had it.
/// What it tells becomes `ran`'s first cause or is added to it. Does nothing after a run of
/// minutes, or one that the user or a limit has ended.
void look_for_cause(const DeviceOptions& options, const std::function<host::Firmware()>& firmware,
                    Cycle limit, const host::PreparedProgram& prepared, host::Outcome& ran);

}  // namespace bhemu::watch
