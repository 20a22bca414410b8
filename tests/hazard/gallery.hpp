// The programs of examples/races: NAME_broken and NAME_mended.
#pragma once

#include <span>

#include "race/finding.hpp"

namespace bhemu::host::hazard_test {

struct GalleryEntry {
  const char* name;
  race::FindingKind kind;
  unsigned row;
  unsigned lines = 2;  // that are known: code made at run time has none
  /// Who is first with a lock or a bit is a matter of time, and with it which accesses meet, if
  /// any.
  bool first_come = false;
};
std::span<const GalleryEntry> gallery();

}  // namespace bhemu::host::hazard_test
