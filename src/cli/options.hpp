// Options that several commands share, and their way into a device.
#pragma once

#include <string>
#include <vector>

#include "device/device.hpp"
#include "host/boot/firmware.hpp"
#include "host/settings/settings.hpp"

namespace CLI {
class App;
}

namespace bhemu::cli {

struct CommonOptions : host::DeviceSettings {
  std::string firmware;    // directory; empty: built in
  std::string boot_cache;  // directory; empty: every boot is done
  u64 max_cycles = 0;      // 0: no limit
  bool json = false;
  bool quiet = false;
  std::string profile;  // a file; "-": only the table; empty: none
  std::string report;   // a page; empty: none
};

void add_board_options(CLI::App& app, CommonOptions& options);
void add_device_options(CLI::App& app, CommonOptions& options);
void add_run_options(CLI::App& app, CommonOptions& options);
/// Those of a run that decide what is hunted; the timing is chaos.
void add_hunt_options(CLI::App& app, CommonOptions& options);
/// A whole number from 0 on, like 1000000, 1e6 or 0x100.
void add_count(CLI::App& app, const char* name, u64& value, const char* help);
/// --trace and what goes with it.
void add_trace_options(CLI::App& app, CommonOptions& options);
/// --gdb and what goes with it.
void add_gdb_options(CLI::App& app, CommonOptions& options);
/// --race and what goes with it.
void add_race_options(CLI::App& app, CommonOptions& options);
/// --profile and --report.
void add_profile_options(CLI::App& app, CommonOptions& options);
void add_output_options(CLI::App& app, CommonOptions& options);

/// Throws InputError for unknown names and impossible boards. `preferred` is used when the user
/// named no board.
BoardOptions board_options(const CommonOptions& options, BoardModel preferred);
DeviceOptions device_options(const CommonOptions& options, BoardModel preferred);
host::Firmware firmware_of(const CommonOptions& options);

}  // namespace bhemu::cli
