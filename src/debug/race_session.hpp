// The race detector beside a client that only ever writes bytes (libttsim, bhemu shim, the C API):
// watches from the beginning, tells at the end. Such a run cannot be made a second time, so a word
// by which cores turn out to signal each other is known as one only from then on.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "host/report/races.hpp"
#include "host/settings/race_settings.hpp"

namespace bhemu::debug {

class RaceSession {
 public:
  /// Nothing happens unless the settings say so. Throws host::InputError.
  RaceSession(Device& device, const host::RaceSettings& settings);
  ~RaceSession();

  /// What was found, as text; "" when there is nothing to say. `code` gives the code at the places
  /// that are told of. Writes the files that were asked for; throws host::InputError when it
  /// cannot.
  std::string finish(const std::function<host::CodeMap(std::span<const Author>)>& code);

 private:
  host::RaceSettings settings_;
  std::unique_ptr<host::RaceWatch> watch_;
};

}  // namespace bhemu::debug
