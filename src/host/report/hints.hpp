// What a client of a card can do to learn more. Its run cannot be repeated here, as `bhemu run`
// repeats one that has failed: only the client knows what it does to the card.
#pragma once

#include <string>

#include "base/check_groups.hpp"

namespace bhemu::host {

/// Empty when everything is looked at already.
inline std::string hint_for_clients(const CheckSet& checks) {
  if (checks.has(CheckGroup::Guards) && checks.has(CheckGroup::Uninitialised) &&
      checks.has(CheckGroup::Reads))
    return "";
  return "More can be said of a run that is looked at: again with BHEMU_CHECK=all, writes over "
         "firmware, messages and kernels, stacks that grow into data, pages that nobody has filled "
         "and data used before it has come are named where they happen, before this.\n";
}

}  // namespace bhemu::host
