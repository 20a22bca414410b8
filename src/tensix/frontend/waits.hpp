// Why a thread does not advance: as a trace's reason, and as waits for reports.
#pragma once

#include "base/wait.hpp"
#include "tensix/context.hpp"

namespace bhemu::tensix {

/// Why the instruction at the gate of `thread` does not pass. `taken`: another thread's instruction
/// has gone to its unit in this cycle.
trace::Reason reason_of_wait(const State& state, unsigned thread, Cycle now, bool taken);

/// Banks of SrcA and SrcB that an instruction waits for.
struct SourceNeeds {
  bool a = false;  // with data in it, for the matrix unit
  bool b = false;
  bool a_free = false;  // given back, for the unpacker
  bool b_free = false;
};
SourceNeeds source_needs(u32 word);

/// A core, or a store of a thread, waits for room in TDMA-RISC's command queue.
Wait wait_for_tdma_room(const State& state);

/// Why `thread` does not advance, and which threads could change that. Of words in L1 without their
/// values. `taken` as above.
Waits waits_of(const State& state, unsigned thread, Cycle now, bool taken = false);

}  // namespace bhemu::tensix
