// The parts of --json that tell of a boot, a run, and the races of one.
#pragma once

#include "base/json.hpp"
#include "host/boot/machine.hpp"
#include "host/report/races.hpp"

namespace bhemu::cli {

/// How a boot or a run ended, what it counted, checked and saved, who broke a rule, who waits.
Json json_of(const host::Outcome& outcome);
Json json_of(const host::RaceReport& races);

}  // namespace bhemu::cli
