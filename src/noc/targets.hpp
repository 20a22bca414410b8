// Who receives a request: one node, or the receivers of a broadcast in the order of sending.
#pragma once

#include <span>
#include <vector>

#include "noc/niu.hpp"

namespace bhemu::noc {

struct Niu::Targets {
  struct One {
    NodeId node = kNoNode;
    Coord coord;  // on this NoC, after translation
  };
  One single;             // unicast
  std::vector<One> many;  // broadcast
  bool broadcast = false;

  std::span<const One> all() const {
    return broadcast ? std::span<const One>(many) : std::span<const One>(&single, 1);
  }
};

}  // namespace bhemu::noc
