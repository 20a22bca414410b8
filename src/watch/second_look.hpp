// The run of a program again, with every check and with everybody who writes looked at, when the
// first run alone does not tell what was wrong; and of a short one that went well, with the checks.
#pragma once

#include <functional>

#include "host/boot/machine.hpp"

namespace bhemu::watch {

/// After a wrong result, a hang or a fault: the same once more, as `options` and `limit` had it.
/// What it tells becomes `ran`'s first cause or is added to it. After a good run of a few
/// milliseconds: what silicon lets pass becomes warnings of `ran`. Does nothing after a run of
/// minutes, or one that the user or a limit has ended.
void look_for_cause(const DeviceOptions& options, const std::function<host::Firmware()>& firmware,
                    Cycle limit, const host::PreparedProgram& prepared, host::Outcome& ran);

}  // namespace bhemu::watch
