// The one sentence with which a report of a hang begins: who waits for what, who alone could give
// it, and what that one is doing; and what to do about it.
#pragma once

#include <span>
#include <string>

#include "host/report/situation.hpp"
#include "host/spot.hpp"

namespace bhemu::host {

struct FirstCause {
  std::string sentence;  // empty: nobody waits
  std::string remedy;
  std::string place;  // the user's line
  Coord tile;
  Agent agent = Agent::Host;
  std::optional<Rule> rule = {};     // that was broken
  std::optional<Spot> awaited = {};  // the word that is waited for
  bool only_idle = false;            // firmware waits for work, and that is all
};

/// The waits reduced to the one that no other explains, or to a circle of them.
FirstCause first_cause(Device& device, const Situation& situation, const CodeMap& code);

}  // namespace bhemu::host
