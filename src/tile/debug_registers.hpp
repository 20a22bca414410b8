// Tile control, debug and status registers (0xFFB12000): storage, and the few that do something.
// The rows are in debug.def; what a Trigger or Live row does is here or in Tile.
#pragma once

#include <array>

#include "base/fault.hpp"
#include "base/types.hpp"
#include "noc/packet.hpp"

namespace bhemu::tile {

/// Byte offsets from 0xFFB12000.
namespace debug_reg {
#define REG(name, offset, tiles, access, kind, reset, meaning) inline constexpr u32 name = offset;
#include "tile/debug.def"
#undef REG
}  // namespace debug_reg

inline constexpr u32 kWallClock = 0xFFB12000 + debug_reg::WALL_CLOCK_0;
inline constexpr u32 kWallClockHigh = 0xFFB12000 + debug_reg::WALL_CLOCK_1;
inline constexpr u32 kWallClockLatched = 0xFFB12000 + debug_reg::WALL_CLOCK_1_AT;

enum class Tiles : u8 { Tensix, Both };
enum class Access : u8 { RW, RO, WO };
enum class RegisterKind : u8 { Storage, Trigger, Live, Refused, WithoutEffect };

struct DebugRegisterInfo {
  const char* name;
  u32 offset;
  Tiles tiles;
  Access access;
  RegisterKind kind;
  u32 reset;
  const char* meaning;
};

/// A row as a type: functions that are chosen by it are missed when the program is compiled.
template <u32 offset>
struct DebugRow {};

/// Null where a tile of that kind has no register.
const DebugRegisterInfo* debug_register_at(u32 offset, noc::NodeKind tile);
/// The rule that a Refused register raises.
Rule refusal_of(u32 offset);

/// The stored values. Plain data.
class DebugRegisters {
 public:
  static constexpr u32 kBytes = 0x24C;
  DebugRegisters() { reset(); }
  void reset();
  u32 get(u32 offset) const { return words_[offset / 4]; }
  void set(u32 offset, u32 value) { words_[offset / 4] = value; }
  u64 hash(u64 seed) const;

 private:
  std::array<u32, kBytes / 4> words_{};
};

}  // namespace bhemu::tile
