// What travels on a NoC: requests and responses between nodes.
//
// Documents: BlackholeA0/NoC/README.md, MemoryMap.md; specs niu.md, noc-atomics.md.
#pragma once

#include "base/archive.hpp"
#include "base/types.hpp"
#include "noc/payload.hpp"

namespace bhemu::noc {

/// What stands at the end of a NoC link.
enum class NodeKind : u8 { Tensix, Dram, Pcie, Arc, Ethernet, Router, L2cpu, Security };
const char* name_of(NodeKind kind);

enum class PacketKind : u8 {
  WriteRequest,   // payload to `address`; byte_enable when not all ones
  ReadRequest,    // `length` bytes from `address`, to be returned to `return_address`
  AtomicRequest,  // atomic on the 32-bit (or 128-bit) word at `address`
  ReadResponse,   // payload for `return_address`
  WriteAck,
  AtomicResponse,  // 4 bytes of payload for `return_address`
};
const char* name_of(PacketKind kind);
constexpr bool is_request(PacketKind kind) {
  return kind <= PacketKind::AtomicRequest;
}

/// The index of a request's entry in its NIU's list of outstanding requests; none: nothing tracked.
inline constexpr u32 kUntracked = ~0u;

/// All of a packet but its payload: what can be copied as bytes.
struct PacketHead {
  PacketKind kind = PacketKind::WriteRequest;
  u8 noc = 0;                // which NoC carries it (a response stays on its request's NoC)
  u8 transaction_id = 0;     // 0..15
  bool posted = false;       // no acknowledgement wanted
  bool inline_data = false;  // came from NOC_AT_DATA (inline write)
  bool linked = false;
  u8 virtual_channel = 0;
  bool header_store = false;  // also store the first 16 bytes to `header_address`
  u16 parts = 1;              // packets of at most 16 KiB that silicon would make of it
  NodeId source = kNoNode;    // the node which sent this packet
  NodeId target = kNoNode;    // the node it goes to
  NodeId reply_to = kNoNode;  // where the response goes; normally the source
  Coord target_coord;      // as routed, NoC 0 numbering (for traces and endpoints with sub-ports)
  u64 address = 0;         // in the target
  u64 return_address = 0;  // in the requester, for responses
  u32 length = 0;          // bytes
  u64 byte_enable = ~u64{0};  // of a 64-byte write, bit per byte
  u32 atomic_operation = 0;   // NOC_AT_LEN_BE encoding, for atomics
  u32 atomic_data = 0;
  u32 header_address = 0;     // for header_store
  u32 tracking = kUntracked;  // the requester's own handle, returned with the response
  u32 issuer_pc = 0;          // pc of the core that wrote CMD_CTRL (author)
  Agent issuer = Agent::Host;
  Cycle issued = 0;
  Cycle arrival = 0;      // the cycle at which it has its effect at the target
  u64 sequence = 0;       // per source node, rising
  u32 answer_late = 0;    // by how much its answer is to be late
  u16 spread = 0;         // cycles from `arrival` on in which its data go by at the target
  u16 answer_spread = 0;  // the same of its answer
  u32 landed = 0;         // bytes of it that have gone by
  u32 request = 0;        // trace::RequestId, when the sender's tile was observed; not saved
};

struct Packet : PacketHead {
  Payload payload;
};

/// Payloads that packets share are whole in each after loading.
void archive(Archive& archive, Packet& packet);

/// The fixed order in which packets are handled by a node: arrival, source, sequence.
struct LaterPacket {
  template <class Entry>
  bool operator()(const Entry& a, const Entry& b) const {
    if (a.arrival != b.arrival) return a.arrival > b.arrival;
    if (a.source != b.source) return a.source > b.source;
    return a.sequence > b.sequence;
  }
};

}  // namespace bhemu::noc
