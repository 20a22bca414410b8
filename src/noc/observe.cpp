#include "noc/observe.hpp"

#include "noc/spread.hpp"

namespace bhemu::noc {
namespace {

using Phase = trace::Arrival::Phase;

Phase phase_of(const Packet& packet) {
  switch (packet.kind) {
    case PacketKind::WriteRequest:
      return Phase::Write;
    case PacketKind::ReadRequest:
      return Phase::Read;
    case PacketKind::AtomicRequest:
      return Phase::Atomic;
    case PacketKind::ReadResponse:
      return Phase::Data;
    case PacketKind::AtomicResponse:
      return Phase::Result;
    case PacketKind::WriteAck:
      break;
  }
  return Phase::Answered;
}

trace::Landing::What what_of(const Packet& packet) {
  using What = trace::Landing::What;
  if (packet.kind == PacketKind::WriteRequest) return What::Write;
  return packet.kind == PacketKind::ReadRequest ? What::Read : What::Data;
}

}  // namespace

void tell_piece(trace::Observer& observer, const Packet& packet, u32 first, u32 bytes, Cycle now) {
  const trace::Arrival arrival = arrival_of(packet, now);
  trace::Landing landing;
  landing.what = what_of(packet);
  landing.author = arrival.author;
  landing.piece = first / piece_bytes_of(packet.length);
  landing.pieces = pieces_of(packet.length);
  landing.request = arrival.id;
  landing.address = arrival.address + first;
  landing.length = bytes;
  observer.landed(landing);
}

void tell_arrived(trace::Observer& observer, const Packet& packet, Cycle now) {
  if (packet.spread != 0)
    tell_piece(observer, packet, packet.landed, packet.length - packet.landed, now);
  observer.arrived(arrival_of(packet, now));
}

trace::Arrival arrival_of(const Packet& packet, Cycle now) {
  const bool request = is_request(packet.kind);
  const NodeId requester = request ? packet.source : packet.reply_to;
  trace::Arrival arrival;
  arrival.id = {requester, packet.request};
  arrival.phase = phase_of(packet);
  arrival.author = {packet.noc == 0 ? Agent::Niu0 : Agent::Niu1, packet.issuer_pc, now, requester};
  arrival.issuer = packet.issuer;
  arrival.from = packet.source;
  arrival.noc = packet.noc;
  arrival.posted = packet.posted;
  arrival.inline_data = packet.inline_data;
  arrival.address = request ? packet.address : packet.return_address;
  arrival.length = packet.length;
  arrival.byte_enable = packet.byte_enable;
  return arrival;
}

}  // namespace bhemu::noc
