// What an instruction changes, as a value that can be put off: the effect lands at one point of the
// operation's window, which the timing chooses (docs/ARCHITECTURE.md, "Plain and Full"). What it
// needs from registers was read when it was issued; what it needs from memory is read when it
// lands.
#pragma once

#include <array>

#include "base/author.hpp"

namespace bhemu::tensix {

struct State;
struct Environment;
struct Context;

enum class EffectKind : u8 {
  Gpr,            // value[0] into GPR `gpr` under `mask`
  Load,           // `bytes` of L1 at `address` into GPRs from `gpr` on
  Store,          // `bytes` of value[] to L1 at `address`, of them the 16-bit halves in `mask`
  Increment,      // ATINCGET: L1 word += value[0] under `mask`, what it was to GPR `gpr`
  LoadRegister,   // the tile's register at `address` to GPR `gpr`
  StoreRegister,  // value[0] to the tile's register at `address`
  Config,         // value[0] to configuration word `address` of bank `bank` under `mask`
};

struct Effect {
  EffectKind kind = EffectKind::Gpr;
  u8 thread = 0;
  u8 gpr = 0;
  u8 bytes = 0;
  u8 bank = 0;
  u32 address = 0;
  u32 mask = 0;
  std::array<u32, 4> value{};
  Cycle at = 0;
  Author author;
};

/// Effects under way, in the order in which they were issued.
struct EffectQueue {
  static constexpr u32 kCapacity = 32;
  static constexpr u32 kMostOfOne = 4;  // of one instruction
  u32 count = 0;
  std::array<Effect, kCapacity> effect{};

  bool has_room() const { return count + kMostOfOne <= kCapacity; }
};

/// Rows of Dst that the store slot of a macro has still to write.
struct LateRow {
  u16 row = 0;
  u16 columns = 0;  // of the row
  std::array<u16, 16> value{};
  Cycle at = 0;
};

/// What delays (base/delays.hpp) have put off in the coprocessor.
struct Late {
  static constexpr u32 kRows = 32;
  /// By thread: the delay in front of the instruction of this number (executed + 1) was drawn.
  std::array<u64, 3> gate_drawn{};
  /// By file: until then STALLWAIT sees the bank that the matrix unit is giving back.
  std::array<Cycle, 2> bank_until{};
  /// By thread, of its core: see Coprocessor::count_pending_stores.
  std::array<u32, 3> pending_stores{};
  /// Commands of cores that are on their way to TDMA-RISC's queue; each has a place there.
  u32 pending_commands = 0;
  u32 rows = 0;
  std::array<LateRow, kRows> row{};
};

/// Now, or at the point of the window that the timing chooses.
void put(const Context& context, Effect effect);
/// What the scalar unit has computed for a thread, to the unit's own next instruction: it is one
/// pipeline, in which results of arithmetic go ahead of the registers. Loads do not.
void forward_results(State& state, const Environment& env, unsigned thread, Cycle now);
/// Lets everything land that is due up to `now`, in the order of time and issue.
void land_due(State& state, const Environment& env, Cycle now);

}  // namespace bhemu::tensix
