// What checks know about the software on a tile, read from its launch message (mailboxes.hpp).
#pragma once

#include <memory>
#include <string>

#include "base/check_groups.hpp"
#include "host/settings/setting_style.hpp"
#include "tile/software.hpp"

namespace bhemu::host {

/// Of tt-metal's firmware and ours. Where nothing looks like a launch message, nothing is known.
std::shared_ptr<const tile::Software> launched_software();

/// "all", "none", "usual" or a list: "buffers,noc,guards", "usual,uninitialised", "all,-caches".
/// Empty: the usual ones. Throws InputError.
CheckSet check_set(const std::string& text, SettingStyle style);

}  // namespace bhemu::host
