// A profile as tt-metal's device profiler writes one (profile_log_device.csv), for its tools: zones
// of firmware and kernel of each core.
#pragma once

#include <string>

#include "debug/profile/profile.hpp"

namespace bhemu::debug {

std::string profile_csv(const Profile& profile, u64 tiles);

}  // namespace bhemu::debug
