// What the rows of debug.def do that are more than storage: the debug daisychain, read-back of
// configuration and register arrays, performance counters, samples in L1, pushes of Tensix
// instructions, the clock; what a Live row gives when it is read and a Trigger row does when it is
// written.
//
// Documents: tt-isa-documentation WormholeB0/TensixTile/DebugDaisychain.md, BlackholeA0
// BackendConfiguration.md and PushTensixInstruction.md ("Debug registers" in both); tenstorrent/
// tt-llk, tt_llk_blackhole/common/inc/ckernel_debug.h (register arrays) and docs/
// performance_counters/performance_counters.md.
#pragma once

#include <memory>

#include "base/fault.hpp"
#include "mem/arena.hpp"
#include "mem/l1.hpp"
#include "tensix/coprocessor.hpp"
#include "tile/activity.hpp"
#include "tile/debug_bus.hpp"
#include "tile/debug_registers.hpp"
#include "tile/debugger.hpp"
#include "tile/follower.hpp"
#include "tile/shape.hpp"
#include "tile/timestamper.hpp"

namespace bhemu::tile {

/// What it asks of the tile around it.
class DebugUnitHost {
 public:
  virtual DaisyGroup look_at_daisy(const DaisySelection& select, Cycle now) = 0;
  virtual void set_soft_reset(u32 value, const Author& author) = 0;
  virtual void end_long_turn(Cycle at) = 0;
  /// Until when the coprocessor's work is counted for who looks at `now`: a core sees what had been
  /// done when its turn began, however long the turn is.
  virtual Cycle counted_until(Cycle now) const = 0;
  /// From when on it is counted for who starts a counter at `now`.
  virtual Cycle counted_from(Cycle now) const = 0;

 protected:
  ~DebugUnitHost() = default;
};

class DebugUnit {
 public:
  struct Environment {
    const Shape& shape;
    DebugRegisters& registers;
    L1& l1;
    FaultPort& faults;
    const ArenaPtr<tensix::Coprocessor>& coprocessor;  // null in an Ethernet tile
    Timestamper& timestamper;
    DaisyDump& dump;
    Debugger& debugger;
    Follower& follower;
    trace::Observer* const& observer;
    Activity& activity;
    DebugUnitHost& host;
  };
  explicit DebugUnit(const Environment& environment) : env_(environment) {}

  // False: refused.
  bool read_live(u32 offset, u32& value, const Author& author);
  bool write_row(u32 offset, u32 value, const Author& author);
  /// Samples of a series that are due before `now`.
  void write_due_samples(Cycle now);

 private:
  struct LiveRows;
  struct TriggerRows;
  bool miss_coprocessor(u32 offset, const Author& author);
  bool read_daisychain(u32& value, const Author& author);
  bool read_array(u32& value, const Author& author);
  bool read_config_back(u32& value, const Author& author);
  bool read_counter(u32 offset, u32& value, const Author& author);
  bool control_counters(u32 offset, u32 value, const Author& author);
  bool control_dump(u32 value, const Author& author);
  bool push_by_debug(u32 value, const Author& author);
  void write_sample(u32 address, const Author& author);

  Environment env_;
};

}  // namespace bhemu::tile
