#include "noc/endpoint.hpp"

#include <fmt/format.h>

#include "mem/mapping.hpp"
#include "noc/registers.hpp"
#include "noc/trace.hpp"

namespace bhemu::noc {

void Endpoint::run_until(Cycle until, Outbox& outbox) {
  while (arrivals_.next() < until) {
    Packet packet = arrivals_.pop();
    answer(packet, outbox);
  }
}

void Endpoint::answer(Packet& packet, Outbox& outbox) {
  const Agent agent = packet.noc == 0 ? Agent::Niu0 : Agent::Niu1;
  const Cycle now = packet.arrival;
  if (trace_ != nullptr) trace_arrival(*trace_, packet, now);
  const std::string who = config_.routing->name(packet.source);
  if (!is_request(packet.kind)) {
    faults_.raise(Rule::NocStrayResponse, agent, packet.issuer_pc, now,
                  fmt::format("{} from {}, issued by {} at pc 0x{:x}", name_of(packet.kind), who,
                              name_of(packet.issuer), packet.issuer_pc));
    return;
  }
  const ServedMemory memory{
      this,
      [](void* self, u64 address, void* target, u32 bytes, Cycle at) {
        return static_cast<Endpoint*>(self)->read(address, target, bytes, at);
      },
      [](void* self, u64 address, const void* source, u32 bytes, const Author& author) {
        return static_cast<Endpoint*>(self)->write(address, source, bytes, author);
      }};
  Payload payload;
  if (!serve(memory, packet, {agent, packet.issuer_pc, now}, payload) &&
      faults_.raise(address_rule(), agent, packet.issuer_pc, now,
                    fmt::format("{} of {} bytes at 0x{:x}, issued by {} of {} at pc 0x{:x}",
                                name_of(packet.kind), packet.length, packet.address,
                                name_of(packet.issuer), who, packet.issuer_pc)))
    return;
  if (!wants_response(packet)) return;
  Packet response = make_response(packet, id_, std::move(payload), *config_.timing, now);
  response.target_coord = config_.noc0;
  response.sequence = sequence_++;
  if (trace_ != nullptr) trace_departure(*trace_, response);
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
  switch (offset) {
    case niu::NOC_NODE_ID: {
      const Coord at = config_.noc0;
      const u32 x = noc == 0 ? at.x : Routing::kWidth - 1 - at.x;
      const u32 y = noc == 0 ? at.y : Routing::kHeight - 1 - at.y;
      value =
          x | y << 6 | Routing::kWidth << 12 | Routing::kHeight << 19 | (noc == 0 ? 1u << 28 : 0);
      return true;
    }
    case niu::NIU_CFG_0:
      value = routing.has_translation() ? 1u << 14 : 0;
      return true;
    default:
      return false;
  }
}

u64 Endpoint::hash(u64 seed) const {
  seed = hash_bytes(seed, &sequence_, sizeof sequence_);
  return hash_memory(seed);
}

void Endpoint::archive(Archive& archive) {
  faults_.archive(archive);
  arrivals_.archive(archive);
  archive.value(sequence_);
  archive_memory(archive);
}

void Endpoint::reset(Cycle) {
  arrivals_ = ArrivalQueue{};
  sequence_ = 0;
}

}  // namespace bhemu::noc
