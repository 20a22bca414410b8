// How the RISC-V debug interface (riscv_debug.hpp) acts on the cores: pausing, resuming, and
// accesses in their name.
//
// Documents: WormholeB0/TensixTile/BabyRISCV/DebugInterface.md; DISABLE_RESET: BlackholeA0
// SoftReset.md.
//
// The documents' core is a pipeline, which pauses an instruction just before it would retire. Ours
// executes one instruction at a time, so the pause comes before an instruction at all, with two
// exceptions that the documents make visible: a load that hit a watchpoint, or that was under way
// when the pause was asked for, has read already and keeps its register waiting (CoreDebug::held).
#pragma once

#include <array>
#include <optional>
#include <string>

#include "base/archive.hpp"
#include "base/fault.hpp"
#include "base/wakeup.hpp"
#include "mem/l1.hpp"
#include "riscv/core.hpp"
#include "riscv/effect.hpp"
#include "tile/debug_registers.hpp"
#include "tile/riscv_debug.hpp"
#include "tile/shape.hpp"
#include "tile/slot.hpp"

namespace bhemu::tile {

class CoreAccess;

/// What the debugger asks of the tile around it: of its schedule, and for accesses by a core.
class DebuggerHost {
 public:
  virtual void wake_core(unsigned core) = 0;
  /// A core that sleeps through its loop is brought to where it would be by now, and is no longer
  /// woken by what the loop reads.
  virtual void leave_loop(unsigned core) = 0;
  virtual void stop_recording(unsigned core, bool failed) = 0;
  virtual void check_recording(unsigned core) = 0;
  virtual void unwatch(unsigned core) = 0;
  virtual void update_watched() = 0;
  virtual void block(unsigned core) = 0;
  virtual void take_interrupt(unsigned core) = 0;
  /// If it is the core's turn, it ends after the instruction under way.
  virtual void end_run_of(unsigned core) = 0;
  virtual riscv::Outcome execute_one(unsigned core) = 0;
  virtual void after_run(unsigned core, riscv::Outcome outcome) = 0;

  virtual u32 start_pc(unsigned core) const = 0;
  /// Loads of the core may set off a tag search (tag_search.hpp).
  virtual bool searches_tags(unsigned core) const = 0;
  /// Carries it out, if the instruction `word` does. What it loads then.
  virtual std::optional<u32> tag_search(unsigned core, const riscv::Effect& effect, u32 word) = 0;

 protected:
  ~DebuggerHost() = default;
};

class Debugger {
 public:
  /// What it shares with the tile.
  struct Environment {
    const Shape& shape;
    std::array<riscv::CoreState, kCores>& cores;
    std::array<CoreSlot, kCores>& slots;
    DebugRegisters& registers;
    L1& l1;
    Wakeup& wakeup;
    FaultPort& faults;
    CoreAccess& access;
    DebuggerHost& host;
  };
  explicit Debugger(const Environment& environment) : env_(environment) {}

  /// RISC_DBG_CNTL_0 is written. False: a rule was broken.
  bool control(u32 value, const Author& author);
  /// Somebody has used the interface, and can use it on this core: an ebreak pauses.
  bool attends(unsigned core) const {
    return state_.attended != 0 && env_.shape.has_debug_interface(core);
  }
  /// The Status register's reasons for a pause.
  u32 reasons(unsigned core) const { return state_.core[core].reasons; }
  void halt(unsigned core, u32 reasons);

  /// One instruction of a core that is to be looked at (CoreSlot::checked).
  void run_checked(unsigned core);
  /// What waited may go on. True: there was such an access, and the core itself does nothing.
  bool finish_access(unsigned core);
  /// Something has changed that decides whether the core is to be looked at.
  void refresh_checked(unsigned core);

  /// SOFT_RESET_0 holds the core.
  void hold(unsigned core);
  void reset() { state_ = {}; }
  void archive(Archive& archive) { archive.value(state_); }
  u64 hash(u64 seed) const { return state_.hash(seed); }

 private:
  void write_control(u32 value, const Author& author);
  u32 read_register(unsigned core, u32 index, const Author& author);
  void write_register(unsigned core, u32 index, u32 value, const Author& author);
  void command(unsigned core, u32 word, const Author& author);
#define COMMAND(name, bit, needs, meaning) \
  void command(debug_command::name which, unsigned core, const Author& author);
#include "tile/riscv_debug.def"
  u32 refused_commands(unsigned core, u32 actions, const Author& author);
  void begin_access(unsigned core, CoreDebug::Access access, const Author& author);
  void perform_access(unsigned core, Cycle now);
  bool retire_held(unsigned core);
  void hold_back(unsigned core, const riscv::Effect& effect, u32 pc, u32 old);
  u32 store_hits_of(unsigned core, const riscv::Effect& effect, u32 word) const;
  [[gnu::cold]] void misuse(Rule rule, const Author& author, std::string text);

  Environment env_;
  RiscvDebug state_;
};

}  // namespace bhemu::tile
