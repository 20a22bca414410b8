// What one waiting agent wants, who could give it and what that one is doing, in words, kind by
// kind.
#pragma once

#include <string>

#include "host/report/situation.hpp"

namespace bhemu::host {

struct Context {
  Device& device;
  const Situation& situation;
  const CodeMap& code;
};

struct Explanation {
  std::string want;   // "for 1 page in CB 0, which holds 0"
  std::string giver;  // "its only producer, NCRISC, has ended"
  std::string remedy;
  std::optional<Rule> rule = {};  // that was broken by waiting for this
};
Explanation explain(const Context& context, const Standing& standing);

/// "BRISC of (1, 2) (and of 3 more tiles)"; alone: "BRISC of (1, 2)".
std::string name_of(const Context& context, const Standing& standing, bool alone = false);
/// What has been given and taken so far of what it waits for: " (NCRISC has pushed 4 ...)".
std::string progress_of(const Context& context, const Standing& standing);
/// Where the kernel of a thread hands over the source whose bank it waits for; empty: in a MOP.
std::string places_of_handing_over(const Context& context, const Standing& standing);
/// What the cores of a tile do, those that do the same together.
std::string cores_of(const Context& context, NodeId node, Agent except);

/// " at PLACE", or nothing.
inline std::string at(const std::string& place) {
  return place.empty() ? "" : " at " + place;
}

}  // namespace bhemu::host
