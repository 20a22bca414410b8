// Packets that arrive at an NIU (Counters.md: who counts what, and when).
#include <fmt/format.h>

#include "noc/command.hpp"
#include "noc/niu.hpp"
#include "noc/niu_state.hpp"
#include "noc/observe.hpp"
#include "noc/serve.hpp"

namespace bhemu::noc {

void Niu::receive(Packet&& packet, Cycle now) {
  touch();
  if (is_request(packet.kind)) {
    serve_request(packet, now);
  } else {
    complete_response(packet, now);
  }
}

bool Niu::take_piece(Packet& packet, Cycle now) {
  touch();
  const Author author{noc_ == 0 ? Agent::Niu0 : Agent::Niu1, packet.issuer_pc, now,
                      is_request(packet.kind) ? packet.source : kNoNode};
  ServedMemory& memory = *environment_.host;
  return noc::take_piece(memory, packet, author, observer_);
}

void Niu::count_arrival(const Packet& packet) {
  const bool posted = packet.posted;
  const u32 flits = packet.inline_data ? 1 : flits_of(packet.address, packet.length);
  switch (packet.kind) {
    case PacketKind::ReadRequest:
      count(niu::NIU_SLV_REQ_ACCEPTED, packet.parts);
      count(niu::NIU_SLV_RD_REQ_RECEIVED, packet.parts);
      break;
    case PacketKind::AtomicRequest:
      count(niu::NIU_SLV_REQ_ACCEPTED);
      count(posted ? niu::NIU_SLV_POSTED_ATOMIC_RECEIVED : niu::NIU_SLV_NONPOSTED_ATOMIC_RECEIVED);
      break;
    default:
      count(posted ? niu::NIU_SLV_POSTED_WR_REQ_STARTED : niu::NIU_SLV_NONPOSTED_WR_REQ_STARTED,
            packet.parts);
      count(posted ? niu::NIU_SLV_POSTED_WR_DATA_WORD_RECEIVED
                   : niu::NIU_SLV_NONPOSTED_WR_DATA_WORD_RECEIVED,
            flits);
      count(posted ? niu::NIU_SLV_POSTED_WR_REQ_RECEIVED : niu::NIU_SLV_NONPOSTED_WR_REQ_RECEIVED,
            packet.parts);
  }
}

void Niu::serve_request(Packet& packet, Cycle now) {
  count_arrival(packet);
  const Agent agent = noc_ == 0 ? Agent::Niu0 : Agent::Niu1;
  ServedMemory& memory = *environment_.host;
  const Author author{agent, packet.issuer_pc, now, packet.source};
  if (observer_ != nullptr) [[unlikely]]
    observer_->arrives(arrival_of(packet, now));
  Payload payload;
  if (!serve(memory, packet, author, payload) &&
      refuse(
          Rule::NocAddress, author,
          fmt::format("{} of {} bytes at 0x{:x}, issued by {} of {} at pc 0x{:x}",
                      name_of(packet.kind), packet.length, packet.address, name_of(packet.issuer),
                      environment_.routing->name(packet.source), packet.issuer_pc)))
    return;
  if (observer_ != nullptr) [[unlikely]]
    tell_arrived(*observer_, packet, now);
  if (!wants_response(packet)) return;
  Packet response =
      make_response(packet, environment_.node, std::move(payload), *environment_.timing, now);
  switch (packet.kind) {
    case PacketKind::ReadRequest:
      count(niu::NIU_SLV_RD_RESP_SENT, packet.parts);
      count(niu::NIU_SLV_RD_DATA_WORD_SENT, flits_of(packet.address, packet.length));
      break;
    case PacketKind::AtomicRequest:
      count(niu::NIU_SLV_ATOMIC_RESP_SENT);
      break;
    default:
      count(niu::NIU_SLV_WR_ACK_SENT, packet.parts);
  }
  environment_.host->send(std::move(response));
}

void Niu::count_served(const Packet& request) {
  count_arrival(request);
  if (wants_response(request)) count(niu::NIU_SLV_WR_ACK_SENT, request.parts);
}

Packet Niu::acknowledgement(const Packet& request, Cycle now) const {
  return make_response(request, environment_.node, nullptr, *environment_.timing, now);
}

void Niu::receive(const Acknowledgements& all, Cycle now) {
  touch();
  const Packet& packet = all.packet;
  const auto answers = static_cast<u32>(all.senders.size());
  count(niu::NIU_MST_WR_ACK_RECEIVED, packet.parts * answers);
  lower_transactions(niu::NIU_MST_REQS_OUTSTANDING_ID, packet.transaction_id, packet.parts,
                     answers);
  if (packet.reply_to != environment_.node) return;
  untrack(packet.tracking, answers);
  for (u32 i = 0; environment_.checks != nullptr && i < answers; ++i)
    environment_.checks->answered(packet, now);
}

void Niu::complete_response(Packet& packet, Cycle now) {
  if (observer_ != nullptr) [[unlikely]]
    observer_->arrives(arrival_of(packet, now));
  if (packet.length != 0) {
    const Author author{noc_ == 0 ? Agent::Niu0 : Agent::Niu1, packet.issuer_pc, now};
    const u32 first = packet.landed;
    if (!environment_.host->write(packet.return_address + first, packet.payload.data() + first,
                                  packet.length - first, author) &&
        refuse(Rule::NocAddress, author,
               fmt::format("{} of {} bytes for 0x{:x}, requested by {} at pc 0x{:x}",
                           name_of(packet.kind), packet.length, packet.return_address,
                           name_of(packet.issuer), packet.issuer_pc)))
      return;
  }
  switch (packet.kind) {
    case PacketKind::ReadResponse:
      count(niu::NIU_MST_RD_RESP_RECEIVED, packet.parts);
      count(niu::NIU_MST_RD_DATA_WORD_RECEIVED, flits_of(packet.return_address, packet.length));
      break;
    case PacketKind::WriteAck:
      count(niu::NIU_MST_WR_ACK_RECEIVED, packet.parts);
      break;
    default:
      count(niu::NIU_MST_ATOMIC_RESP_RECEIVED);
  }
  lower_transactions(niu::NIU_MST_REQS_OUTSTANDING_ID, packet.transaction_id, packet.parts);
  // A response of another tile's request (RET_ADDR_HI or TARG_ADDR_HI named us) is not in our list.
  if (packet.reply_to == environment_.node) {
    untrack(packet.tracking);
    if (environment_.checks != nullptr) environment_.checks->answered(packet, now);
  }
  if (observer_ != nullptr) [[unlikely]]
    tell_arrived(*observer_, packet, now);
}

}  // namespace bhemu::noc
