// What a request does to the memory behind an NIU, and the response it gives rise to. Shared by the
// NIUs of Tensix tiles and by the endpoints (DRAM, PCIe, ARC, Ethernet).
#pragma once

#include "mem/l1.hpp"
#include "noc/packet.hpp"
#include "noc/timing.hpp"

namespace bhemu::trace {
class Observer;
}

namespace bhemu::noc {

/// Memory as an NIU sees it. Both return false where nothing is.
class ServedMemory {
 public:
  virtual bool read(u64 address, void* target, u32 bytes, Cycle now) = 0;
  virtual bool write(u64 address, const void* source, u32 bytes, const Author& author) = 0;

 protected:
  ~ServedMemory() = default;
};

/// Executes `request`; `payload` becomes the data of the response. False: an address was refused
/// (of a byte-enable write, nothing beyond the refused byte was written).
bool serve(ServedMemory& memory, const Packet& request, const Author& author, Payload& payload);

/// True when the requester wants an answer.
inline bool wants_response(const Packet& request) {
  return request.kind == PacketKind::ReadRequest || !request.posted;
}
Packet make_response(const Packet& request, NodeId self, Payload payload, const Timing& timing,
                     Cycle now);

/// The bytes of a byte-enable write, as `[first, last)` runs handed to `write`.
template <class Write>
bool for_each_enabled_run(u64 byte_enable, Write write) {
  for (u32 first = 0; first < 64;) {
    if (((byte_enable >> first) & 1) == 0) {
      ++first;
      continue;
    }
    u32 last = first;
    while (last < 64 && ((byte_enable >> last) & 1) != 0) ++last;
    if (!write(first, last)) return false;
    first = last;
  }
  return true;
}

/// The next piece of a packet's data: written to memory, or read for the answer. True: only one is
/// left, which `serve`, or who completes a response, moves with everything else. False: the packet
/// comes again at its new arrival. `observer` is told; null: nobody looks on.
bool take_piece(ServedMemory& memory, Packet& packet, const Author& author,
                trace::Observer* observer);

}  // namespace bhemu::noc
