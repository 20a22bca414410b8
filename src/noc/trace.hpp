// Packets as events of a trace.
#pragma once

#include "noc/packet.hpp"
#include "trace/port.hpp"

namespace bhemu::noc {

void trace_departure(trace::Port& port, const Packet& packet);
void trace_arrival(trace::Port& port, const Packet& packet, Cycle now);

}  // namespace bhemu::noc
