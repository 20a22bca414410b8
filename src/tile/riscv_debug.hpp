// The RISC-V debug interface of a tile's cores: its registers and what is pending in it. How it
// acts on the cores is in tile/debugger.hpp; rows: riscv_debug.def.
//
// Document: WormholeB0/TensixTile/BabyRISCV/DebugInterface.md. Not modelled: what the pipeline's
// depth does to a paused core (instructions that have read registers or memory ahead of the pause,
// and the lock-up of a core resumed outside slow execution mode, which is a warning).
#pragma once

#include <array>

#include "base/bits.hpp"
#include "base/types.hpp"

namespace bhemu::tile {

inline constexpr unsigned kWatchpoints = 8;

struct DebugField {
  u32 low;
  u32 width;
  constexpr u32 of(u32 word) const { return bits(word, low, width); }
  constexpr u32 with(u32 value) const { return value << low; }
};
namespace debug_field {
#define FIELD(reg, name, low, width, meaning) inline constexpr DebugField reg##_##name{low, width};
#include "tile/riscv_debug.def"
}  // namespace debug_field

/// Indices of debug registers.
namespace dr {
#define DR(name, index, count, access, meaning) inline constexpr u32 name = index;
#include "tile/riscv_debug.def"
}  // namespace dr

/// Masks in the Command register; a type each, for Debugger::command.
namespace debug_command {
#define COMMAND(name, bit, core, meaning)   \
  struct name {                             \
    static constexpr u32 kMask = 1u << bit; \
  };
#include "tile/riscv_debug.def"
}  // namespace debug_command

/// One core's debug hardware. Plain data without padding.
struct CoreDebug {
  enum class Access : u32 { None, Read, Write };
  enum class Target : u32 { None, Nothing, Integer, Float };

  // The registers; Status without its lowest bit, which is the state of the core.
  u32 reasons = 0;
  u32 command = 0;
  u32 argument0 = 0;
  u32 argument1 = 0;
  u32 result = 0;
  u32 modes = 0;
  std::array<u32, kWatchpoints> address{};

  u32 pause_wanted = 0;  // pause as soon as the load under way has its answer
  u32 step_primed = 0;   // the next Step command executes an instruction
  u32 stepping = 0;      // pause after the next instruction
  // A memory command under way. It may have to wait, as a core's access would.
  Access access = Access::None;
  u32 access_address = 0;
  u32 access_data = 0;

  // A load that has read, but whose register is not yet written: the instruction at the pc.
  Target held = Target::None;
  u32 held_register = 0;
  u32 held_value = 0;
  u32 held_next_pc = 0;

  bool operator==(const CoreDebug&) const = default;

  /// Masks of the watchpoints that an instruction, a load or a store there hits.
  u32 instruction_hits(u32 pc) const;
  u32 load_hits(u32 where) const;
  u32 store_hits(u32 where) const;
  /// A watchpoint is on.
  bool is_armed() const;
  /// The core must execute one instruction at a time, with a look at each.
  bool needs_checks() const {
    return is_armed() || pause_wanted != 0 || stepping != 0 || access != Access::None;
  }
};

/// Reasons in the Status register, for the watchpoints of a mask.
constexpr u32 instruction_reason(u32 mask) {
  using namespace debug_field;
  return mask == 0 ? 0 : Status_InstructionHit.with(1) | Status_WatchpointHit.with(mask);
}
constexpr u32 memory_reason(u32 mask) {
  using namespace debug_field;
  return mask == 0 ? 0 : Status_MemoryHit.with(1) | Status_WatchpointHit.with(mask);
}

/// Plain data.
struct RiscvDebug {
  std::array<CoreDebug, kCores> core{};
  /// Somebody has used the interface since the tile's reset: a debugger is there to see a pause.
  u32 attended = 0;

  /// Null where a core has no such register. Status is not among them.
  u32* register_at(unsigned core, u32 index);
  static bool is_writable(u32 index);
  /// Adds nothing while nobody has used the interface and no core is paused.
  u64 hash(u64 seed) const;
};

}  // namespace bhemu::tile
