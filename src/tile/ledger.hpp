// Who has lately given others what they wait for: who moved the counters of circular buffers, and
// which small writes and atomics came over the NoC. For reports only: nobody in the chip sees it,
// so it is neither hashed nor saved.
#pragma once

#include <algorithm>
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

/// One kind of counter, which one instruction has set to 0 stream after stream, always the same
/// time apart. Firmware clears all of them before each kernel: to note each on its own would touch
/// half as many lines of the host's caches as there are counters.
class Sweep {
 public:
  void begin(u32 stream, Agent agent, u32 pc, Cycle now) {
    next_ = key(stream, agent, pc) + 1;
    last_ = now;
    step_ = 0;
    first_ = stream;
  }
  /// Takes the stream in, if it is the next.
  bool goes_on(u32 stream, Agent agent, u32 pc, Cycle now) {
    if (key(stream, agent, pc) != next_) return false;
    if (now != last_ + step_ || step_ == 0) {
      if (step_ != 0 || now <= last_) return false;
      step_ = now - last_;  // the second one
    }
    last_ = now;
    ++next_;
    return true;
  }
  bool has(u32 stream) const { return stream >= first_ && stream < end(); }
  bool covers(const Sweep& other) const {
    return other.next_ == 0 || (has(other.first_) && has(other.end() - 1));
  }
  /// When the latest was set.
  Cycle last() const { return last_; }
  u32 first() const { return first_; }
  u32 end() const { return next_ & 0xFF; }
  CounterChange change(u32 stream) const {
    return {static_cast<Agent>(next_ >> 8 & 0xFF), static_cast<u32>(next_ >> 16), cycle_of(stream),
            0, 0};
  }

 private:
  static u64 key(u32 stream, Agent agent, u32 pc) {
    static_assert(noc::kStreams < 0x100);
    return u64{pc} << 16 | u64{static_cast<u8>(agent)} << 8 | stream;
  }
  Cycle cycle_of(u32 stream) const { return last_ - (end() - 1 - stream) * step_; }

  u64 next_;    // the key of the stream that would be next; 0: there has been none
  Cycle last_;  // when the latest was set
  Cycle step_;  // 0: it is the only one
  u32 first_;
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
    sweeps_ = {};
    noted_ = {};
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
    // Firmware sets them to 0 between kernels.
    if (value != 0) return counter_moved(stream, received, agent, pc, now);
    if (now <= noted_[received]) return cleared_late(stream, received, agent, pc, now);
    if (!sweeps_[received][0].goes_on(stream, agent, pc, now))
      begin_sweep(stream, received, agent, pc, now);
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
    const CounterChange change = latest(stream % noc::kStreams, received);
    return change.cycle != 0 ? change : CounterChange{Agent::Host, 0, 0, 0, 0};
  }
  /// Behind what is written for counters that firmware clears.
  const auto& counter_changes() const { return counters_; }
  /// The latest arrivals, newest first.
  template <class Visit>
  void each_arrival(Visit visit) const {
    const u64 known = count_ < kArrivals ? count_ : kArrivals;
    for (u64 i = 1; i <= known; ++i) visit(arrivals_[(count_ - i) % kArrivals]);
  }

 private:
  // Functions of their own, so that who clears a counter needs no frame.
  [[gnu::noinline]] void counter_moved(u32 stream, bool received, Agent agent, u32 pc, Cycle now) {
    // In a turn, who comes later may tell of an earlier cycle, and is the later one all the same.
    if (now <= last_cleared(received)) end_sweeps(received);
    const CounterChange before = latest(stream, received);
    counters_[stream][received] = {agent, pc, now, before.changes + 1,
                                   before.agents | 1u << static_cast<unsigned>(agent)};
    noted_[received] = std::max(noted_[received], now);
  }
  /// A counter may have been moved or cleared in a later cycle, by who came before in the turn.
  [[gnu::noinline]] void cleared_late(u32 stream, bool received, Agent agent, u32 pc, Cycle now) {
    end_sweeps(received);
    counters_[stream][received] = {agent, pc, now, 0, 0};
  }
  Cycle last_cleared(bool received) const {
    return std::max(sweeps_[received][0].last(), sweeps_[received][1].last());
  }
  /// What is noted of both, the older one first, is noted for each counter.
  void end_sweeps(bool received) {
    noted_[received] = std::max(noted_[received], last_cleared(received));
    auto& [latest, before] = sweeps_[received];
    note_each(before, received);
    note_each(latest, received);
    latest = before = {};
  }
  void note_each(const Sweep& sweep, bool received) {
    for (u32 one = sweep.first(); one < sweep.end(); ++one)
      if (const CounterChange change = sweep.change(one);
          counters_[one][received].cycle <= change.cycle)
        counters_[one][received] = change;
  }
  [[gnu::noinline]] void begin_sweep(u32 stream, bool received, Agent agent, u32 pc, Cycle now) {
    auto& [latest, before] = sweeps_[received];
    if (now <= last_cleared(received)) return cleared_late(stream, received, agent, pc, now);
    if (!latest.covers(before)) note_each(before, received);
    before = latest;
    latest.begin(stream, agent, pc, now);
  }
  /// The latest change, by whichever way it was noted.
  CounterChange latest(u32 stream, bool received) const {
    const CounterChange& noted = counters_[stream][received];
    for (const Sweep& sweep : sweeps_[received]) {
      if (!sweep.has(stream)) continue;
      const CounterChange change = sweep.change(stream);
      return change.cycle >= noted.cycle ? change : noted;
    }
    return noted;
  }

  // Zero until something happens, which is not in cycle 0.
  std::array<std::array<Sweep, 2>, 2> sweeps_;  // of each kind of counter the latest, and before
  // The latest cycle in which a change of each kind was noted for its counter: sweeps are later.
  std::array<Cycle, 2> noted_;
  std::array<std::array<CounterChange, 2>, noc::kStreams> counters_;
  std::array<Arrival, kArrivals> arrivals_;
  u64 count_ = 0;
};

}  // namespace bhemu::tile
