// Packets as an observer is told of them.
#pragma once

#include "noc/packet.hpp"
#include "trace/observer.hpp"

namespace bhemu::noc {

/// Of a packet that has had its effect in cycle `now`.
trace::Arrival arrival_of(const Packet& packet, Cycle now);
/// A piece of its data, `bytes` from byte `first` on, has landed, or has been read here for it.
void tell_piece(trace::Observer& observer, const Packet& packet, u32 first, u32 bytes, Cycle now);
/// It has had its effect; its last piece first, if it goes by in pieces.
void tell_arrived(trace::Observer& observer, const Packet& packet, Cycle now);

}  // namespace bhemu::noc
