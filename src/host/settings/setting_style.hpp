// How messages spell the name of a setting.
#pragma once

#include <string>

#include "base/types.hpp"

namespace bhemu::host {

/// --harvest-dram, BHEMU_HARVEST_DRAM, harvest-dram.
enum class SettingStyle : u8 { Option, Environment, File };
std::string setting_name(SettingStyle style, const std::string& name);

}  // namespace bhemu::host
