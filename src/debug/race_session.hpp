// The race detector beside a client that only ever writes bytes (libttsim, bhemu shim): watches
// from the beginning, tells at the end. Such a run cannot be made a second time, so a word by which
// cores turn out to signal each other is known as one only from then on.
#pragma once

#include <memory>
#include <string>

#include "debug/code_finder.hpp"
#include "host/report/races.hpp"
#include "host/settings/race_settings.hpp"

namespace bhemu::debug {

class RaceSession {
 public:
  /// Nothing happens unless the settings say so. Throws host::InputError.
  RaceSession(Device& device, const host::RaceSettings& settings);
  ~RaceSession();

  /// What was found, as text; "" when there is nothing to say. Writes the files that were asked
  /// for; throws host::InputError when it cannot.
  std::string finish(Device& device, CodeFinder& code);

 private:
  host::RaceSettings settings_;
  std::unique_ptr<host::RaceWatch> watch_;
};

}  // namespace bhemu::debug
