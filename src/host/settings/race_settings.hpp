// What a user can set about the race detector, as text (docs/RACES.md).
#pragma once

#include <string>

namespace bhemu::host {

struct RaceSettings {
  std::string level;     // "custom" or "documented"; empty: custom, if `on`
  std::string suppress;  // a file of findings that somebody has judged; empty: none
  std::string json;      // files to write; empty: none
  std::string sarif;
  bool on = false;
};

}  // namespace bhemu::host
