// Registers that cores and the NoC reach alike: debug and control, PIC, program counters, local
// memories, NIUs, overlay, ThCon's, an Ethernet port's. What rows of debug.def do that is more than
// storage is in debug_unit.hpp.
//
// Documents: seed 000 (address space), BlackholeA0/TensixTile/BabyRISCV/README.md (memory map),
// PIC.md.
#pragma once

#include <array>
#include <memory>

#include "base/fault.hpp"
#include "base/wakeup.hpp"
#include "eth/port.hpp"
#include "mem/arena.hpp"
#include "noc/niu.hpp"
#include "noc/stream.hpp"
#include "riscv/core.hpp"
#include "tensix/coprocessor.hpp"
#include "tile/activity.hpp"
#include "tile/checks.hpp"
#include "tile/debug_unit.hpp"
#include "tile/ledger.hpp"
#include "tile/mailboxes.hpp"
#include "tile/pic.hpp"
#include "tile/slot.hpp"

namespace bhemu::tile {

template <bool Record>
struct EthernetCoreBus;

/// What accesses ask of the schedule of the tile around them.
class AccessHost {
 public:
  /// Something else of the tile must run soon: ends a long turn at the quantum that holds `at`.
  virtual void end_long_turn(Cycle at) = 0;
  /// Where the turn that holds `at` begins when turns are not long.
  virtual Cycle nominal_begin(Cycle at) const = 0;
  virtual void rouse_coprocessor() = 0;
  /// An IRQ may have risen: cores that it interrupts must not sleep through it.
  virtual void rouse_for_interrupts() = 0;
  virtual u32 pc_of(unsigned core) = 0;

 protected:
  ~AccessHost() = default;
};

/// The parts of a tile that loads, stores and requests reach.
struct AccessEnvironment {
  using Buses = std::array<ArenaPtr<EthernetCoreBus<false>>, kCores>;

  const Shape& shape;
  std::array<riscv::CoreState, kCores>& cores;
  std::array<CoreSlot, kCores>& slots;
  const Buses& buses;
  Wakeup& wakeup;
  FaultPort& faults;
  const std::array<ArenaPtr<noc::Niu>, kNocs>& nius;
  const ArenaPtr<noc::StreamFile>& streams;
  const ArenaPtr<tensix::Coprocessor>& coprocessor;  // null in an Ethernet tile
  const std::unique_ptr<eth::Port>& port;            // null in a Tensix tile
  const std::unique_ptr<Checks>& checks;             // null: nothing is checked all the time
  Mailboxes& mailboxes;
  Pic& pic;
  DebugRegisters& debug;
  DebugUnit& debug_unit;
  Timestamper& timestamper;
  Ledger& ledger;
  Follower& follower;
  Activity& activity;
  trace::Port* const& trace;
  trace::Observer* const& observer;
  const bool& long_turn;  // the turn under way is one that may be ended
  AccessHost& host;

  /// A store to the register at `offset` of the streams changes a counter for which nobody waits:
  /// it rouses nobody and ends no turn. (Threads wait for other registers: STREAMWAIT.md.)
  bool only_counts(u32 offset) const {
    return (offset % noc::kStreamStride & ~u32{8}) == Ledger::kAcked &&
           (wakeup.watched & mask_of(Resource::Stream)) == 0;
  }
};

class RegisterSpace {
 public:
  explicit RegisterSpace(const AccessEnvironment& environment) : env_(environment) {}

  const AccessEnvironment& environment() const { return env_; }

  /// An aligned word. False: there is nothing, or a rule was broken whose author stops; `value` is
  /// zero then.
  bool read(Agent agent, u32 address, u32& value, Cycle now, u32 pc);
  /// False: as for read.
  bool write(Agent agent, u32 address, u32 value, Cycle now, u32 pc);

  /// Reports that `text` (a preposition, as in "load from") there broke `rule`. True: who did it
  /// stops.
  [[gnu::cold]] bool refuse(Rule rule, Agent agent, u32 address, u32 pc, Cycle now,
                            const char* text);
  /// The same, of the overlay, which may know why.
  bool refuse_stream(Agent agent, u32 address, u32 pc, Cycle now, const char* text);
  /// Where `bytes` of a local memory lie that is seen through its window; null: not within one.
  u8* ldm_at(u32 address, u32 bytes, unsigned* owner = nullptr);
  /// `size` bytes of `value` to an address that ldm_at knows.
  void store_ldm(u32 address, u32 size, u32 value);
  /// After anything that may change the requests of streams and NIUs.
  void refresh_hardware_interrupts();

 private:
  const RegionInfo& info(Region region) const { return (*env_.shape.regions)[region]; }
  /// Null for whoever is no core.
  CoreSlot* slot_of(Agent agent) {
    return is_core(agent) ? &env_.slots[index_of(core_of(agent))] : nullptr;
  }
  bool read_debug(Agent agent, u32 offset, u32& value, Cycle now, u32 pc);
  bool write_debug(Agent agent, u32 offset, u32 value, Cycle now, u32 pc);
  bool read_port(Agent agent, u32 address, u32& value, Cycle now, u32 pc);
  bool write_stream(u32 address, u32 value, const Author& author);
  void stream_changed();
  bool check_counter(u32 offset, u32 value, const Author& author);

  AccessEnvironment env_;
};

}  // namespace bhemu::tile
