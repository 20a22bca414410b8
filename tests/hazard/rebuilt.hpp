// Races rebuilt from what their public threads tell and from rows of edges.def, none of which the
// gallery has; and programs that look like them and are in order.
#pragma once

#include <vector>

#include "hazard/pairs.hpp"

namespace bhemu::host::pairs {

std::vector<Pair> rebuilt_races();

struct Quiet {
  const char* name;
  Program program;
};
std::vector<Quiet> quiet_programs();

}  // namespace bhemu::host::pairs
