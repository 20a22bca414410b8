// Packets as an observer is told of them.
#pragma once

#include "noc/packet.hpp"
#include "trace/observer.hpp"

namespace bhemu::noc {

/// Of a packet that has had its effect in cycle `now`.
trace::Arrival arrival_of(const Packet& packet, Cycle now);

}  // namespace bhemu::noc
