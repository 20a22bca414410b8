#include "noc/trace.hpp"

#include <algorithm>
#include <cstring>

namespace bhemu::noc {
namespace {

static_assert(static_cast<int>(PacketKind::WriteRequest) ==
                  static_cast<int>(trace::PacketKind::Write) &&
              static_cast<int>(PacketKind::AtomicRequest) ==
                  static_cast<int>(trace::PacketKind::Atomic) &&
              static_cast<int>(PacketKind::AtomicResponse) ==
                  static_cast<int>(trace::PacketKind::AtomicResponse));

trace::Packet event_of(const Packet& packet) {
  trace::Packet event;
  event.kind = static_cast<trace::PacketKind>(packet.kind);
  event.noc = packet.noc;
  event.transaction_id = packet.transaction_id;
  event.virtual_channel = packet.virtual_channel;
  event.posted = packet.posted;
  event.linked = packet.linked;
  event.inline_data = packet.inline_data;
  event.source = packet.source;
  event.target = packet.target;
  event.issuer = packet.issuer;
  event.issuer_pc = packet.issuer_pc;
  event.address = is_request(packet.kind) ? packet.address : packet.return_address;
  event.length = packet.length;
  event.value = packet.atomic_data;
  if (packet.kind != PacketKind::AtomicRequest && packet.payload != nullptr)
    std::memcpy(&event.value, packet.payload.data(),
                std::min<u64>(sizeof event.value, packet.payload.size()));
  event.issued = packet.issued;
  event.arrival = packet.arrival;
  return event;
}

Agent niu_agent(const Packet& packet) {
  return packet.noc == 0 ? Agent::Niu0 : Agent::Niu1;
}

}  // namespace

void trace_departure(trace::Port& port, const Packet& packet) {
  const Agent agent = is_request(packet.kind) ? packet.issuer : niu_agent(packet);
  port.add(packet.issued, agent, packet.issuer, event_of(packet));
}

void trace_arrival(trace::Port& port, const Packet& packet, Cycle now) {
  trace::Packet event = event_of(packet);
  event.arrives = true;
  port.add(now, niu_agent(packet), packet.issuer, event);
}

}  // namespace bhemu::noc
