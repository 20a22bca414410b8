// Integer names used everywhere, and the few identifiers that every part of the chip shares.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace bhemu {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i8 = std::int8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

/// Time, in AICLK cycles since power-on. Guest time is always an argument, never read from a clock.
using Cycle = u64;
inline constexpr Cycle kNever = ~Cycle{0};

/// The five RISC-V cores of a Tensix tile, in the order in which a turn visits them, then the two
/// of an Ethernet tile.
enum class CoreId : u8 { Brisc, Ncrisc, Trisc0, Trisc1, Trisc2, Erisc0, Erisc1 };
inline constexpr unsigned kCores = 5;  // of a tile, at most
inline constexpr unsigned kEthernetCores = 2;
/// Cores of a tile are counted from 0: BRISC and ERISC0 are the first of theirs.
constexpr unsigned index_of(CoreId core) {
  const auto index = static_cast<unsigned>(core);
  return index < kCores ? index : index - kCores;
}
/// The three threads of the Tensix coprocessor.
inline constexpr unsigned kThreads = 3;
inline constexpr unsigned kNocs = 2;

/// Whoever can cause an effect inside a tile: the author of a write, the subject of a fault.
enum class Agent : u8 {
  Brisc,
  Ncrisc,
  Trisc0,
  Trisc1,
  Trisc2,
  Thread0,
  Thread1,
  Thread2,
  Niu0,
  Niu1,
  Mover,
  Host,
  Erisc0,
  Erisc1,
};
inline constexpr unsigned kAgents = 14;
const char* name_of(Agent agent);
const char* name_of(CoreId core);
constexpr Agent agent_of(CoreId core) {
  return core < CoreId::Erisc0
             ? static_cast<Agent>(core)
             : static_cast<Agent>(static_cast<unsigned>(Agent::Erisc0) + index_of(core));
}
/// Has a thread of the coprocessor.
constexpr bool has_thread(CoreId core) {
  return core >= CoreId::Trisc0 && core <= CoreId::Trisc2;
}
constexpr bool is_core(Agent agent) {
  return agent <= Agent::Trisc2 || agent >= Agent::Erisc0;
}
/// Of an agent that is_core().
constexpr CoreId core_of(Agent agent) {
  return agent <= Agent::Trisc2
             ? static_cast<CoreId>(agent)
             : static_cast<CoreId>(static_cast<unsigned>(agent) -
                                   static_cast<unsigned>(Agent::Erisc0) + kCores);
}
constexpr Agent agent_of_thread(unsigned thread) {
  return static_cast<Agent>(static_cast<unsigned>(Agent::Thread0) + thread);
}

/// A coordinate pair on a NoC. Which space (NoC 0, NoC 1, translated) the holder says.
struct Coord {
  u8 x = 0;
  u8 y = 0;
  friend constexpr bool operator==(Coord, Coord) = default;
};

/// Index of a node (a tile of any kind) within its Device; nodes that alias share one id.
using NodeId = u16;
inline constexpr NodeId kNoNode = 0xFFFF;

inline constexpr u32 kL1Size = 0x180000;         // 1.5 MiB, BlackholeA0/TensixTile/L1.md
inline constexpr u32 kEthernetL1Size = 0x80000;  // BlackholeA0/EthernetTile/README.md

}  // namespace bhemu
