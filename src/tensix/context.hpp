// What every instruction gets: Completion execute(Context&, op::NAME).
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "base/fault.hpp"
#include "tensix/coprocessor.hpp"
#include "tensix/isa.hpp"
#include "tensix/state.hpp"

namespace bhemu::tensix {

/// How an instruction left the wait gate.
enum class Completion : u8 {
  Done,   // accepted by its unit; its window is in busy_until
  Stall,  // the unit cannot take it now (a Src bank is not available ...): nothing was changed,
          // the gate offers it again in the next cycle
};

struct Context {
  State& state;
  const Environment& env;
  unsigned thread;
  Cycle now;
  u32 word;
  /// Set when not a thread issued the instruction but SFPLOADMACRO scheduled it.
  const SfpuScheduled* scheduled = nullptr;
  Origin origin = Origin::None;
  /// Bytes that the instruction has moved: what it adds to its window in timings that ask.
  mutable u32 moved = 0;
  /// When the last of its effects lands, in timings that put effects off.
  mutable Cycle last_effect = 0;
  /// What it moves later, in timings that put effects off.
  mutable Pieces* pieces = nullptr;

  const ConfigWords& config() const { return state.config(thread); }
  const ThreadConfigWords& thread_config() const { return state.thread_config(thread); }
  L1& l1() const { return *env.l1; }

  /// Call before changing what a core can see (Resource::Dst, Gpr, Config, Semaphore ...).
  void touch(Resource resource) const {
    if (env.wakeup != nullptr) env.wakeup->touch(resource);
  }

  /// Reports a guest's mistake. True: the thread stops here, change nothing more. False: do what
  /// silicon does.
  [[gnu::cold]] bool raise(Rule rule, std::string text) const;

  Author author() const { return {agent_of_thread(thread), word, now, kNoNode, origin}; }
  /// The thread executes nothing more.
  void stop() const { state.frontend[thread].stopped = true; }
  /// Registers of the tile, by MMIO address. False: a rule was broken, and the thread stops.
  bool load_register(u32 address, u32& value) const {
    if (env.registers->load_register(address, value, author())) return true;
    stop();
    return false;
  }
  bool store_register(u32 address, u32 value) const {
    if (env.registers->store_register(address, value, author())) return true;
    stop();
    return false;
  }

  /// The unit works for `cycles` from now on. The dispatcher has already noted one cycle for the
  /// unit of the row; `fast` timing needs no more than that.
  void busy(BusyUnit unit, Cycle cycles) const {
    Cycle& until = state.busy_until[thread][static_cast<unsigned>(unit)];
    until = std::max(until, now + cycles);
    state.quiet_from[thread] = std::max(state.quiet_from[thread], until);
  }
};

#define FIELD(name, low, width)
#define INSN(name, opcode, unit, properties, fields) \
  Completion execute(Context& context, op::name insn);
#define INSN_UNDOCUMENTED(name, opcode, unit, rule, properties, fields)
#include "tensix/isa.def"

/// A row of the dispatch table: what the wait gate needs to know of an opcode. The seam for cached
/// decoding: a cached word would hold a pointer to its row.
struct Decoded {
  Completion (*execute)(Context&) = nullptr;  // never null: an unknown opcode faults
  u16 blocked_by = 0;                         // block bits B0..B8 of STALLWAIT.md
  Unit unit = Unit::None;
  u8 accept = 0;  // units of which one instruction is accepted a cycle: kAccept bits
  BusyUnit busy = BusyUnit::Misc;  // of Unpack: unpacker 0, the next one if bit 23 is set
  bool plain = false;  // changes neither the wait gate nor anything outside of its unit: turn.hpp
  u8 step = 0;         // frontend/gate.hpp, kStep bits

  u32 unit_mask() const { return 1u << static_cast<unsigned>(unit); }
};
extern const std::array<Decoded, 256> kDecoded;

}  // namespace bhemu::tensix
