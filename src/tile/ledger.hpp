// Who has lately given others what they wait for: who moved the counters of circular buffers, and
// which small writes and atomics came over the NoC. For reports only: nobody in the chip sees it,
// so it is neither hashed nor saved.
#pragma once

#include <array>

#include "base/types.hpp"
#include "mem/arena.hpp"
#include "noc/packet.hpp"
#include "noc/stream.hpp"

namespace bhemu::tile {

/// The last change of one of the two counters by which a stream register file serves as a circular
/// buffer.
struct CounterChange {
  Agent agent;
  u32 pc;
  Cycle cycle;
  u32 changes;  // since it was last set to 0
  u32 agents;   // by whom, since then; a bit per Agent
};

/// A write of at most 16 bytes, or an atomic, from somewhere else.
struct Arrival {
  u64 address;
  u32 bytes;
  u32 value;  // of an atomic: its operand
  NodeId source;
  Agent issuer;
  u32 issuer_pc;
  Cycle cycle;
  bool atomic;
};

class Ledger {
 public:
  static constexpr u32 kAcked = 0x20;  // stream-registers.md; byte offsets in the register file
  static constexpr u32 kReceived = 0x28;
  static constexpr u32 kArrivals = 64;

  Ledger() : Ledger(InZeroedMemory{}) {}
  explicit Ledger(InZeroedMemory zeroed) {
    if (zeroed.holds) return;
    counters_ = {};
    arrivals_ = {};
  }

  void stream_written(u32 offset, u32 value, Agent agent, u32 pc, Cycle now) {
    const u32 reg = offset % noc::kStreamStride;
    if (reg != kAcked && reg != kReceived) return;
    const u32 stream = offset / noc::kStreamStride % noc::kStreams;
    counter_written(stream, reg == kReceived, value, agent, pc, now);
  }
  /// The same of one of the two counters of a stream.
  void counter_written(u32 stream, bool received, u32 value, Agent agent, u32 pc, Cycle now) {
    CounterChange& change = counters_[stream][received ? 1 : 0];
    const bool again = value != 0;  // firmware sets them to 0 between kernels
    change = {agent, pc, now, again ? change.changes + 1 : 0,
              again ? change.agents | 1u << static_cast<unsigned>(agent) : 0};
  }
  void arrived(const noc::Packet& packet, Cycle now) {
    const bool atomic = packet.kind == noc::PacketKind::AtomicRequest;
    if (!atomic && (packet.kind != noc::PacketKind::WriteRequest || packet.length > 16)) return;
    Arrival& arrival = arrivals_[count_++ % kArrivals];
    arrival = {packet.address,
               atomic ? 4u : packet.length,
               packet.atomic_data,
               packet.source,
               packet.issuer,
               packet.issuer_pc,
               now,
               atomic};
  }

  CounterChange counter(u32 stream, bool received) const {
    const CounterChange& change = counters_[stream % noc::kStreams][received];
    return change.cycle != 0 ? change : CounterChange{Agent::Host, 0, 0, 0, 0};
  }
  /// The latest arrivals, newest first.
  template <class Visit>
  void each_arrival(Visit visit) const {
    const u64 known = count_ < kArrivals ? count_ : kArrivals;
    for (u64 i = 1; i <= known; ++i) visit(arrivals_[(count_ - i) % kArrivals]);
  }

 private:
  // Zero until something happens, which is not in cycle 0.
  std::array<std::array<CounterChange, 2>, noc::kStreams> counters_;
  std::array<Arrival, kArrivals> arrivals_;
  u64 count_ = 0;
};

}  // namespace bhemu::tile
