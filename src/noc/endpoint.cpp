#include "noc/endpoint.hpp"

#include <fmt/format.h>

#include "mem/mapping.hpp"
#include "noc/command.hpp"
#include "noc/identity.hpp"
#include "noc/observe.hpp"
#include "noc/registers.hpp"
#include "noc/trace.hpp"

namespace bhemu::noc {

void Endpoint::run_until(Cycle until, Outbox& outbox) {
  while (arrivals_.next() < until) {
    Packet packet = arrivals_.pop();
    if (packet.spread != 0 && !take_piece(*this, packet,
                                          {packet.noc == 0 ? Agent::Niu0 : Agent::Niu1,
                                           packet.issuer_pc, packet.arrival, packet.source},
                                          observer_)) {
      arrivals_.push(std::move(packet));
      continue;
    }
    answer(packet, outbox);
  }
}

void Endpoint::answer(Packet& packet, Outbox& outbox) {
  const Agent agent = packet.noc == 0 ? Agent::Niu0 : Agent::Niu1;
  const Cycle now = packet.arrival;
  if (trace_ != nullptr) [[unlikely]]
    trace_arrival(*trace_, packet, now);
  const auto who = [&] { return config_.routing->name(packet.source); };
  if (!is_request(packet.kind)) {
    faults_.raise(Rule::NocStrayResponse, agent, packet.issuer_pc, now,
                  fmt::format("{} from {}, issued by {} at pc 0x{:x}", name_of(packet.kind), who(),
                              name_of(packet.issuer), packet.issuer_pc));
    return;
  }
  if (shows_niu()) count_arrival(packet);
  if (observer_ != nullptr) [[unlikely]]
    observer_->arrives(arrival_of(packet, now));
  Payload payload;
  if (!serve(*this, packet, {agent, packet.issuer_pc, now, packet.source}, payload) &&
      faults_.raise(address_rule(), agent, packet.issuer_pc, now,
                    fmt::format("{} of {} bytes at 0x{:x}, issued by {} of {} at pc 0x{:x}",
                                name_of(packet.kind), packet.length, packet.address,
                                name_of(packet.issuer), who(), packet.issuer_pc)))
    return;
  if (observer_ != nullptr) [[unlikely]]
    tell_arrived(*observer_, packet, now);
  if (!wants_response(packet)) return;
  if (shows_niu()) count_response(packet);
  Packet response = make_response(packet, id_, std::move(payload), *config_.timing, now);
  response.target_coord = config_.noc0;
  response.sequence = sequence_++;
  if (trace_ != nullptr) [[unlikely]]
    trace_departure(*trace_, response);
  // A read may name this node itself as the place its data goes to.
  if (response.target == id_) {
    arrivals_.push(std::move(response));
  } else {
    outbox.packets.push_back(std::move(response));
  }
}

bool Endpoint::host_read(u64 address, std::span<u8> bytes, Cycle now) {
  return bytes.size() <= 0xFFFFFFFF &&
         read(address, bytes.data(), static_cast<u32>(bytes.size()), now);
}

bool Endpoint::host_write(u64 address, std::span<const u8> bytes, Cycle now) {
  return bytes.size() <= 0xFFFFFFFF &&
         write(address, bytes.data(), static_cast<u32>(bytes.size()), {Agent::Host, 0, now});
}

bool Endpoint::read_niu(unsigned noc, u32 offset, u32& value) const {
  const Routing& routing = *config_.routing;
  if (offset % 4 != 0) return false;
  if (offset >= kCountersFirst && offset < kCountersEnd) {
    if (niu_register_at(offset) == nullptr) return false;
    value = counters_[noc][(offset - kCountersFirst) / 4];
    return true;
  }
  return read_identity(routing, noc, config_.noc0, routing.info(id_).translated, offset, value);
}

// Counters.md: who counts what. Niu does the same for a Tensix tile, where guests can see the time
// between the steps.
void Endpoint::count_arrival(const Packet& packet) {
  const unsigned noc = packet.noc;
  const bool posted = packet.posted;
  switch (packet.kind) {
    case PacketKind::ReadRequest:
      count(noc, niu::NIU_SLV_REQ_ACCEPTED, packet.parts);
      count(noc, niu::NIU_SLV_RD_REQ_RECEIVED, packet.parts);
      break;
    case PacketKind::AtomicRequest:
      count(noc, niu::NIU_SLV_REQ_ACCEPTED, 1);
      count(noc,
            posted ? niu::NIU_SLV_POSTED_ATOMIC_RECEIVED : niu::NIU_SLV_NONPOSTED_ATOMIC_RECEIVED,
            1);
      break;
    default:
      count(noc,
            posted ? niu::NIU_SLV_POSTED_WR_REQ_STARTED : niu::NIU_SLV_NONPOSTED_WR_REQ_STARTED,
            packet.parts);
      count(noc,
            posted ? niu::NIU_SLV_POSTED_WR_DATA_WORD_RECEIVED
                   : niu::NIU_SLV_NONPOSTED_WR_DATA_WORD_RECEIVED,
            packet.inline_data ? 1 : flits_of(packet.address, packet.length));
      count(noc,
            posted ? niu::NIU_SLV_POSTED_WR_REQ_RECEIVED : niu::NIU_SLV_NONPOSTED_WR_REQ_RECEIVED,
            packet.parts);
  }
}

void Endpoint::count_response(const Packet& packet) {
  const unsigned noc = packet.noc;
  switch (packet.kind) {
    case PacketKind::ReadRequest:
      count(noc, niu::NIU_SLV_RD_RESP_SENT, packet.parts);
      count(noc, niu::NIU_SLV_RD_DATA_WORD_SENT, flits_of(packet.address, packet.length));
      break;
    case PacketKind::AtomicRequest:
      count(noc, niu::NIU_SLV_ATOMIC_RESP_SENT, 1);
      break;
    default:
      count(noc, niu::NIU_SLV_WR_ACK_SENT, packet.parts);
  }
}

void Endpoint::count_host_request(unsigned noc, bool is_write, bool posted, u64 address,
                                  u64 bytes) {
  const u32 flits = flits_of(address, bytes);
  const u32 packets = parts_of(bytes);
  count(noc, niu::NIU_MST_CMD_ACCEPTED, packets);
  if (!is_write) {
    count(noc, niu::NIU_MST_RD_REQ_STARTED, packets);
    count(noc, niu::NIU_MST_RD_REQ_SENT, packets);
    count(noc, niu::NIU_MST_RD_RESP_RECEIVED, packets);
    count(noc, niu::NIU_MST_RD_DATA_WORD_RECEIVED, flits);
  } else if (posted) {
    count(noc, niu::NIU_MST_POSTED_WR_REQ_STARTED, packets);
    count(noc, niu::NIU_MST_POSTED_WR_REQ_SENT, packets);
    count(noc, niu::NIU_MST_POSTED_WR_DATA_WORD_SENT, flits);
  } else {
    count(noc, niu::NIU_MST_NONPOSTED_WR_REQ_STARTED, packets);
    count(noc, niu::NIU_MST_NONPOSTED_WR_REQ_SENT, packets);
    count(noc, niu::NIU_MST_NONPOSTED_WR_DATA_WORD_SENT, flits);
    count(noc, niu::NIU_MST_WR_ACK_RECEIVED, packets);
  }
}

u64 Endpoint::hash(u64 seed) const {
  seed = hash_bytes(seed, &sequence_, sizeof sequence_);
  for (const auto& of_noc : counters_)
    for (const u32& counter : of_noc)
      if (counter != 0)
        seed = hash_bytes(seed ^ static_cast<u64>(&counter - &of_noc[0]), &counter, 4);
  return hash_memory(seed);
}

void Endpoint::archive(Archive& archive) {
  faults_.archive(archive);
  arrivals_.archive(archive);
  archive.value(sequence_);
  archive.value(counters_);
  archive_memory(archive);
}

void Endpoint::reset(Cycle) {
  arrivals_ = ArrivalQueue{};
  sequence_ = 0;
  counters_ = {};
}

}  // namespace bhemu::noc
