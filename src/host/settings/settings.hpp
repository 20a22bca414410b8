// What a user can set about a device, as text from options, environment variables or a file.
#pragma once

#include <string>
#include <vector>

#include "device/device.hpp"
#include "host/settings/race_settings.hpp"
#include "host/settings/setting_style.hpp"
#include "host/settings/trace_settings.hpp"

namespace bhemu::host {

/// A debugger that is to be let in (src/gdb).
struct GdbSettings {
  std::string where;   // a port (0: any that is free) or a path; empty: none
  std::string tiles;   // "1-2,3-4", as of a trace; empty: the caller's choice
  std::string script;  // file to write for gdb -x; empty: none
};

struct DeviceSettings {
  std::string board;            // empty: the caller's choice
  std::string harvest_dram;     // "2,5", "none", "+2"; empty: the board's default
  std::string harvest_columns;  // the same
  std::string bundle;           // "18.12", "19.3"; empty: the board's default
  std::string timing = "fast";
  std::string effects = "issue";   // of windows: "issue", "end" or "drawn"
  std::vector<std::string> rules;  // "name=error", "name=warn", "name=silicon"
  std::string check;               // host/settings/software.hpp, check_set; empty: the usual ones
  unsigned threads = 1;
  u64 seed = 0;
  TraceSettings trace;
  GdbSettings gdb;
  RaceSettings race;
};

/// "a,b" as a and b.
std::vector<std::string> items_of(const std::string& list);

/// Throw InputError for unknown names and impossible boards. `preferred` is used when the user
/// named no board.
BoardOptions board_options(const DeviceSettings& settings, BoardModel preferred,
                           SettingStyle style);
DeviceOptions device_options(const DeviceSettings& settings, BoardModel preferred,
                             SettingStyle style);

}  // namespace bhemu::host
