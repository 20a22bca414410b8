// Requests on their way out: at once, or as late as delays say (base/delays.hpp). What may be late:
// the reading of a write's source, and with it the count of requests sent; the request's way, for
// each receiver by itself; the answer; and how long data go by, from and to memory, in pieces
// (noc/spread.hpp). What stays: the order of requests of a channel, and of their
// arrivals at a target.
#include <algorithm>
#include <cstring>

#include "base/delays.hpp"
#include "noc/command.hpp"
#include "noc/niu.hpp"
#include "noc/niu_state.hpp"
#include "noc/spread.hpp"
#include "noc/targets.hpp"
#include "trace/observer.hpp"

namespace bhemu::noc {

void Niu::draw_answer(Packet& packet, const Targets& targets, const Author& issuer) {
  const bool dram = environment_.routing->kind(targets.all().front().node) == NodeKind::Dram;
  packet.answer_late = delays_->draw(dram ? DelayKind::Dram : DelayKind::Answer, issuer.agent,
                                     issuer.pc, issuer.cycle);
}

/// Over how many cycles data of the request go by, at one of the places (`which`) where they do.
u32 Niu::draw_spread(const Packet& packet, u32 bytes, const Author& issuer, u32 which) {
  const u32 cycles = cycles_of(bytes);
  if (cycles == 0) return 0;
  if (delays_ != nullptr)
    return delays_->draw(DelayKind::Pieces, issuer.agent, issuer.pc, issuer.cycle, cycles, cycles);
  const u64 place = u64{environment_.node} << 48 | u64{noc_} << 44 | u64{which} << 40;
  return environment_.timing->spread.of(
      bytes, place ^ issuer.cycle ^ u64{issuer.pc} << 20 ^ packet.virtual_channel);
}

/// True: the request waits for its way out.
bool Niu::put_off(Packet& packet, u64 local, const Targets& targets, const Author& issuer) {
  if (delays_ != nullptr && (packet.kind == PacketKind::ReadRequest || !packet.posted))
    draw_answer(packet, targets, issuer);
  Departure departure;
  departure.is_write = packet.kind == PacketKind::WriteRequest;
  departure.at = issuer.cycle;
  const bool moves = packet.kind != PacketKind::AtomicRequest && !packet.inline_data &&
                     packet.byte_enable == ~u64{0};
  if (departure.is_write && !packet.inline_data && packet.length != 0 && !is_register(local)) {
    departure.source = local;
    departure.source_bytes = packet.length;
    if (delays_ != nullptr)
      departure.at += delays_->draw(DelayKind::Source, issuer.agent, issuer.pc, issuer.cycle);
    if (moves) departure.span = draw_spread(packet, packet.length, issuer, 0);
  }
  if (moves) packet.spread = static_cast<u16>(draw_spread(packet, packet.length, issuer, 1));
  if (packet.kind == PacketKind::ReadRequest)
    packet.answer_spread = static_cast<u16>(draw_spread(packet, packet.length, issuer, 2));
  for (const Departure& before : state_->departures)
    if (before.packet.virtual_channel == packet.virtual_channel)
      departure.at = std::max({departure.at, before.at, before.end()});
  departure.begin = departure.at;
  if (departure.span != 0) departure.at += departure.span / pieces_of(departure.source_bytes);
  if (departure.at == issuer.cycle && departure.span == 0) return false;
  for (const Receiver& target : targets.all())
    departure.targets.emplace_back(target.node, target.coord);
  departure.packet = std::move(packet);
  state_->departures.push_back(std::move(departure));
  return true;
}

Cycle Niu::next_departure() const {
  Cycle next = kNever;
  for (const Departure& departure : state_->departures) next = std::min(next, departure.at);
  return next;
}

void Niu::depart_due(Cycle now) {
  for (Cycle next = next_departure(); next <= now; next = next_departure()) {
    auto& all = state_->departures;
    const auto first = std::find_if(all.begin(), all.end(),
                                    [next](const Departure& one) { return one.at == next; });
    const u32 bytes = first->source_bytes;
    if (first->span != 0 && first->read + piece_bytes_of(bytes) < bytes) {
      read_piece(*first);
      continue;
    }
    Departure departure = std::move(*first);
    all.erase(first);
    depart(departure);
  }
}

void Niu::tell_source(const Departure& departure, u32 first, u32 bytes) {
  const Packet& packet = departure.packet;
  trace::Landing landing;
  landing.what = trace::Landing::What::Source;
  landing.author = {noc_ == 0 ? Agent::Niu0 : Agent::Niu1, packet.issuer_pc, departure.at,
                    environment_.node};
  landing.piece = departure.span == 0 ? 0 : first / piece_bytes_of(departure.source_bytes);
  landing.pieces = departure.span == 0 ? 1 : pieces_of(departure.source_bytes);
  landing.request = {environment_.node, packet.request};
  landing.address = departure.source + first;
  landing.length = bytes;
  observer_->landed(landing);
}

/// One that is not the last.
void Niu::read_piece(Departure& departure) {
  const u32 bytes = piece_bytes_of(departure.source_bytes);
  u8* const into = departure.packet.payload.writable() + departure.read;
  if (!environment_.host->read(departure.source + departure.read, into, bytes, departure.at))
    std::memset(into, 0, bytes);
  if (observer_ != nullptr) [[unlikely]]
    tell_source(departure, departure.read, bytes);
  departure.read += bytes;
  const u64 done = departure.read / bytes + 1;
  departure.at = departure.begin + done * departure.span / pieces_of(departure.source_bytes);
}

void Niu::depart(Departure& departure) {
  touch();
  Packet& packet = departure.packet;
  if (departure.source_bytes != 0) {
    // What is left of it. The address was good when the request was made, and nobody else has the
    // bytes that were read then.
    u8* const into = packet.payload.writable() + departure.read;
    const u32 bytes = departure.source_bytes - departure.read;
    if (!environment_.host->read(departure.source + departure.read, into, bytes, departure.at))
      std::memset(into, 0, bytes);
    if (observer_ != nullptr) [[unlikely]]
      tell_source(departure, departure.read, bytes);
  }
  if (departure.is_write) count_sent(packet);
  for (const auto& [node, coord] : departure.targets) {
    Packet copy = packet;
    address_to(copy, node, coord);
    dispatch(std::move(copy), departure.at);
  }
}

void Niu::address_to(Packet& packet, NodeId node, Coord coord) const {
  packet.target = node;
  packet.target_coord = target_coord_of(noc_, coord);
}

void Niu::dispatch(Packet&& packet, Cycle now) {
  const bool home = packet.target == environment_.node;
  packet.arrival = now + (home ? environment_.timing->loopback : environment_.timing->one_way);
  if (delays_ != nullptr || departs_) {
    if (delays_ != nullptr)
      packet.arrival += delays_->draw(DelayKind::Flight, packet.issuer, packet.issuer_pc, now);
    auto& ends = state_->ends;
    std::erase_if(ends, [now](const ChannelEnd& end) { return end.arrival <= now; });
    auto end = std::find_if(ends.begin(), ends.end(), [&packet](const ChannelEnd& one) {
      return one.target == packet.target && one.channel == packet.virtual_channel;
    });
    if (end == ends.end())
      end = ends.insert(end, {packet.target, packet.virtual_channel, packet.arrival});
    packet.arrival = std::max(end->arrival, packet.arrival);
    end->arrival = packet.arrival + packet.spread;
  }
  environment_.host->send(std::move(packet));
}

}  // namespace bhemu::noc
