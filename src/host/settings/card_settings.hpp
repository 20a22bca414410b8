// What a user can set about an emulated card that clients reach as if it were a real one: the
// device, and what a mistake does to the process.
//
// Settings, strongest first: environment variables BHEMU_BOARD, BHEMU_HARVEST_DRAM,
// BHEMU_HARVEST_COLUMNS, BHEMU_BUNDLE, BHEMU_THREADS, BHEMU_TIMING, BHEMU_SEED, BHEMU_CHECK (none),
// BHEMU_RULE (comma separated), BHEMU_FAULTS, BHEMU_CLOCK, BHEMU_HANG (seconds after which a host
// is told that what it waits for will never come), BHEMU_ELF (comma separated: files and folders in
// which a fault's code is looked for; after them come tt-metal's caches), BHEMU_TRACE and
// BHEMU_TRACE_* (docs/TRACE.md), BHEMU_GDB, BHEMU_GDB_TILES and BHEMU_GDB_SCRIPT
// (docs/DEBUGGING.md); then the YAML file that BHEMU_CONFIG names, or bhemu.yaml in a directory
// that the caller knows.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "host/settings/settings.hpp"

namespace bhemu::host {

/// What a mistake of the host's or the guest's does to the process.
enum class FaultMode : u8 {
  Throw,   // the call fails and carries the report, once a mistake; the agent that made it stays
           // where it is until it is reset, all others go on
  Report,  // printed once; from then on reads give all ones, and nothing else happens
  Exit,    // printed; the process ends with kExitHost or kExitGuest
};

/// When time passes on a card behind the libttsim interface (docs/DETERMINISM.md). A driver's card
/// always runs by itself.
enum class ClockMode : u8 {
  Auto,   // in the client's calls, until the client waits without calling
  Calls,  // in the client's calls only: a run is repeatable
  Free,   // all the time, in a thread of its own
};

inline constexpr int kExitHost = 2;   // status of a process that a mistake of the host's ends
inline constexpr int kExitGuest = 4;  // the same, of the guest's

struct CardSettings {
  DeviceSettings device;
  FaultMode faults = FaultMode::Throw;
  ClockMode clock = ClockMode::Auto;
  bool polls_memory = false;        // the client says by variables of its own that it will
  bool asks_while_waiting = false;  // and that it looks at the card meanwhile
  bool looks_at_leisure = false;    // it has threads that look at L1 for as long as it is open
  std::vector<std::string> elves;   // files and folders
  std::vector<std::string> caches;  // folders, perhaps, of what a client has compiled
  unsigned hang_seconds = 5;        // see BHEMU_HANG; 0: no verdict
};

/// `get(name)` is the environment (null: not set); `beside` the directories in which bhemu.yaml is
/// looked for; `faults` holds when nobody says otherwise. Throws InputError.
CardSettings card_settings(const std::function<const char*(const char*)>& get,
                           std::span<const std::string> beside, FaultMode faults);

/// BHEMU_RACE and BHEMU_RACE_*, for devices that have no other settings of a card.
RaceSettings race_settings(const std::function<const char*(const char*)>& get);

/// Of the variables in `environment` ("NAME=value", null at the end) those that are nearly a
/// setting of bhemu and are none: one line for each.
std::vector<std::string> misspelt_variables(const char* const* environment);

}  // namespace bhemu::host
