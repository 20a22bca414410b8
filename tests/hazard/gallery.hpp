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
};
std::span<const GalleryEntry> gallery();

}  // namespace bhemu::host::hazard_test
