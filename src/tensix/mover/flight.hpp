// What the mover has been told to do: the command that it carries out, and those of TDMA-RISC's
// queue, which wait for it.
#pragma once

#include <array>

#include "base/author.hpp"
#include "tensix/piece_clock.hpp"

namespace bhemu::tensix {

/// A move under way, in timings that put effects off. Addresses and sizes in bytes.
struct MoverFlight {
  u32 destination = 0;
  u32 source = 0;
  u32 size = 0;
  u32 done = 0;
  u8 mode = 0;  // MoverMode
  Author author;
  Pieces pieces;
};

/// TDMA-RISC's command register.
inline constexpr u32 kTdmaCommandAddress = 0xFFB11010;

/// What a core has written to TDMA-RISC's command register, with the parameters that it had then.
struct TdmaCommand {
  u8 opcode = 0;                // the low byte of the command
  u8 mode = 0;                  // MoverMode, of a move
  bool has_parameters = false;  // not compact: it keeps one of the two sets of parameters
  u32 destination = 0;          // bytes, as all sizes and addresses here
  u32 source = 0;
  u32 size = 0;
  std::array<u32, 2> value{};  // of a write to L1
  Author author;
};

/// The command queue of TDMA-RISC (TDMA-RISC.md). Whoever gives a command to a full one waits. In
/// timings in which the mover takes one cycle for everything it is always empty.
struct TdmaQueue {
  static constexpr u32 kCapacity = 4;
  static constexpr u32 kParameterCredits = 2;
  u32 count = 0;
  Cycle next = kNever;  // when the first command is looked at again
  std::array<TdmaCommand, kCapacity> command{};

  u32 parameter_credits() const {
    u32 credits = kParameterCredits;
    for (u32 i = 0; i < count; ++i) credits -= command[i].has_parameters ? 1 : 0;
    return credits;
  }
};

}  // namespace bhemu::tensix
