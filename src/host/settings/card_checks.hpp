// The checks that look on at every instruction (src/check) for a card, where the client's own
// software launches kernels: what a launch has laid down is read from its launch message.
#pragma once

#include "base/check_groups.hpp"
#include "device/device.hpp"

namespace bhemu::host {

/// From now on, as long as the device lives: looks on if one of `set` has to, and keeps in mind
/// where instructions of the coprocessor come from (tile/push_log.hpp).
void watch_launches(Device& device, CheckSet set);

}  // namespace bhemu::host
