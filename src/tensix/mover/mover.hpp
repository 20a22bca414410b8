// The mover, and TDMA-RISC: its register interface.
//
// Documents: tt-isa-documentation Mover.md, XMOV.md, TDMA-RISC.md (Wormhole), boopdotpng/
// tenstorrent-docs xmov-and-tdma-mover (Blackhole).
// In timings in which the mover takes time it carries out one command after the other. XMOV waits
// at the gate until it is free; commands of cores wait in TDMA-RISC's queue of four, and the core
// that gives a fifth one waits. How long TDMA-RISC itself takes for a command is in no document:
// nothing here. A command of the queue goes before an XMOV that waits, which is an inference, too.
// Where effects are put off (pieces.hpp) a move goes by in pieces of at least 16 bytes. Blackhole
// has no instruction RAM for NCRISC, so data sent there is discarded.
#pragma once

#include "tensix/context.hpp"

namespace bhemu::tensix {

enum class MoverMode : u8 { ZeroToL1, L1ToConfig, ZeroToConfig, L1ToL1 };

/// What the mover is told to do. Addresses and size in bytes.
struct Move {
  u32 destination = 0;
  u32 source = 0;
  u32 size = 0;
  MoverMode mode = MoverMode::ZeroToL1;
};

/// Nothing that the mover was told before is still to be done: it can begin in cycle `now`.
bool mover_is_free(const State& state, Cycle now);
/// Begins the move, in the cycle of the author; the mover is free. False: a rule was broken, and
/// the author must stop.
bool run_mover(State& state, const Environment& env, const Move& move, const Author& author);
/// No address of the move breaks a rule.
bool has_good_addresses(const Move& move);
/// The mover takes longer than one cycle, so commands may have to wait for it.
bool mover_takes_time(const Environment& env);

/// The next piece of the move that is under way.
void land_mover(State& state, const Environment& env, Cycle now);
/// Commands of TDMA-RISC's queue, as many as need not wait for the mover.
void carry_out_commands(State& state, const Environment& env, Cycle now);

/// TDMA-RISC registers by byte offset from 0xFFB11000, as the author sees them.
RegisterAccess read_tdma_register(State& state, const Environment& env, u32 offset, u32& value,
                                  const Author& author);
RegisterAccess write_tdma_register(State& state, const Environment& env, u32 offset, u32 value,
                                   const Author& author);

/// A store to this register has to wait for room in the command queue.
bool tdma_store_waits(const State& state, u32 offset);
/// Reading the head of the packer's metadata FIFO waits until there is one.
bool tdma_register_waits(const State& state, u32 offset);
/// Reading this register takes the head away.
bool tdma_register_pops(u32 offset);

}  // namespace bhemu::tensix
