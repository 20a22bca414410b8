#include "noc/serve.hpp"

#include <algorithm>

#include "noc/atomics.hpp"
#include "noc/observe.hpp"
#include "noc/spread.hpp"

namespace bhemu::noc {
namespace {

bool serve_write(ServedMemory& memory, const Packet& request, const Author& author) {
  const u8* data = request.payload == nullptr ? nullptr : request.payload.data();
  if (request.length == 0) return true;
  if (request.byte_enable == ~u64{0}) {
    const u32 first = request.landed;
    if (!memory.write(request.address + first, data + first, request.length - first, author))
      return false;
  } else {
    const auto write = [&](u32 first, u32 last) {
      return memory.write(request.address + first, data + first, last - first, author);
    };
    if (!for_each_enabled_run(request.byte_enable, write)) return false;
  }
  if (!request.header_store) return true;
  // MemoryMap.md, NOC_PACKET_TAG_HEADER_STORE: the first 128 bits go to a second address too.
  return memory.write(request.header_address, data, std::min(request.length, 16u), author);
}

bool serve_atomic(ServedMemory& memory, const Packet& request, const Author& author,
                  Payload& payload) {
  AtomicLine line;
  const u64 base = request.address & ~u64{15};
  if (!memory.read(base, line.data(), 16, author.cycle)) return false;
  const AtomicEffect effect = apply_atomic(request.atomic_operation, request.atomic_data,
                                           static_cast<u32>(request.address), line);
  if (effect.bytes != 0 &&
      !memory.write(base + effect.first, line.data() + effect.first, effect.bytes, author))
    return false;
  if (request.posted) return true;
  payload = Payload::of(4);
  std::memcpy(payload.writable(), &effect.result, 4);
  return true;
}

}  // namespace

bool serve(ServedMemory& memory, const Packet& request, const Author& author, Payload& payload) {
  switch (request.kind) {
    case PacketKind::WriteRequest:
      return serve_write(memory, request, author);
    case PacketKind::ReadRequest: {
      payload = request.landed != 0 ? request.payload
                                    : Payload::of(request.length, request.return_address);
      const u32 first = request.landed;
      if (request.length == 0 || memory.read(request.address + first, payload.writable() + first,
                                             request.length - first, author.cycle))
        return true;
      std::memset(payload.writable() + first, 0, request.length - first);
      return false;
    }
    default:
      return serve_atomic(memory, request, author, payload);
  }
}

bool take_piece(ServedMemory& memory, Packet& packet, const Author& author,
                trace::Observer* observer) {
  const u32 bytes = piece_bytes_of(packet.length);
  const u32 pieces = pieces_of(packet.length);
  if (packet.spread == 0 || pieces == 1 || packet.landed / bytes == pieces - 1) return true;
  const u32 first = packet.landed;
  bool done;
  if (packet.kind == PacketKind::ReadRequest) {
    if (packet.payload == nullptr)
      packet.payload = Payload::of(packet.length, packet.return_address);
    done =
        memory.read(packet.address + first, packet.payload.writable() + first, bytes, author.cycle);
  } else {
    const u64 address =
        packet.kind == PacketKind::WriteRequest ? packet.address : packet.return_address;
    done = memory.write(address + first, packet.payload.data() + first, bytes, author);
  }
  // Where nothing is, the whole of it says so at once.
  if (!done) return true;
  if (observer != nullptr) tell_piece(*observer, packet, first, bytes, author.cycle);
  const auto over = [&](u64 piece) { return piece * packet.spread / (pieces - 1); };
  packet.arrival += over(first / bytes + 1) - over(first / bytes);
  packet.landed += bytes;
  return false;
}

Packet make_response(const Packet& request, NodeId self, Payload payload, const Timing& timing,
                     Cycle now) {
  Packet response;
  response.kind = request.kind == PacketKind::ReadRequest    ? PacketKind::ReadResponse
                  : request.kind == PacketKind::WriteRequest ? PacketKind::WriteAck
                                                             : PacketKind::AtomicResponse;
  response.noc = request.noc;
  response.transaction_id = request.transaction_id;
  response.inline_data = request.inline_data;
  response.parts = request.parts;
  response.source = self;
  response.target = request.reply_to;
  response.reply_to = request.source;  // whose request this was
  response.return_address = request.return_address;
  response.length = payload == nullptr ? 0 : payload.size();
  response.tracking = request.tracking;
  response.request = request.request;
  response.issuer_pc = request.issuer_pc;
  response.issuer = request.issuer;
  response.issued = now;
  response.arrival =
      now + (response.target == self ? timing.loopback : timing.one_way) + request.answer_late;
  response.spread = request.answer_spread;
  response.payload = std::move(payload);
  return response;
}

}  // namespace bhemu::noc
