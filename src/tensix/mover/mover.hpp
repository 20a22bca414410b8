// The mover, and TDMA-RISC: its register interface.
//
// Documents: tt-isa-documentation Mover.md, XMOV.md, TDMA-RISC.md (Wormhole), boopdotpng/
// tenstorrent-docs xmov-and-tdma-mover (Blackhole).
// A command is carried out when it is given, or, where effects are put off (pieces.hpp), in pieces
// of at least 16 bytes over its window, one command after the other. Blackhole has no instruction
// RAM for NCRISC, so data sent there is discarded.
#pragma once

#include "tensix/context.hpp"

namespace bhemu::tensix {

enum class MoverMode : u8 { ZeroToL1, L1ToConfig, ZeroToConfig, L1ToL1 };

/// Addresses and size in bytes. False: a rule was broken, and the author must stop.
bool run_mover(State& state, const Environment& env, u32 destination, u32 source, u32 size,
               MoverMode mode, const Author& author);

/// The next piece of the first command that is under way; with its last one the next comes to be
/// the first.
void land_mover(State& state, const Environment& env, Cycle now);

/// TDMA-RISC registers by byte offset from 0xFFB11000, as the author sees them.
RegisterAccess read_tdma_register(State& state, const Environment& env, u32 offset, u32& value,
                                  const Author& author);
RegisterAccess write_tdma_register(State& state, const Environment& env, u32 offset, u32 value,
                                   const Author& author);

/// Reading the head of the packer's metadata FIFO waits until there is one.
bool tdma_register_waits(const State& state, u32 offset);
/// Reading this register takes the head away.
bool tdma_register_pops(u32 offset);

}  // namespace bhemu::tensix
