// The parts of --json that tell of a boot, a run, and the races of one.
#pragma once

#include "host/boot/machine.hpp"
#include "host/json.hpp"
#include "host/report/races.hpp"

namespace bhemu::cli {

/// The member `name`: how it ended, what it counted, checked and saved, who broke a rule, who
/// waits.
void write_phase(host::JsonWriter& json, const char* name, const host::Outcome& outcome);
/// The member "races".
void write_races(host::JsonWriter& json, const host::RaceReport& races);

}  // namespace bhemu::cli
