// Who receives a request: one node, or the receivers of a broadcast in the order of sending.
#pragma once

#include <span>

#include "noc/multicast.hpp"
#include "noc/niu.hpp"

namespace bhemu::noc {

struct Niu::Targets {
  Receiver single;                        // unicast
  std::shared_ptr<const Receivers> many;  // broadcast
  bool broadcast = false;

  std::span<const Receiver> all() const {
    return broadcast ? std::span<const Receiver>(*many) : std::span<const Receiver>(&single, 1);
  }
};

}  // namespace bhemu::noc
