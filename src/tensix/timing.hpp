// How long instructions take: the rows of timing.def, and the choices from them that a timing
// makes.
#pragma once

#include <array>

#include "base/timing_range.hpp"

namespace bhemu::tensix {

/// Where in its window an instruction's effect may be placed.
enum class EffectPoint : u8 {
  Issue,   // in every timing: nobody can tell, or hardware holds readers back
  End,     // one point, from issue to the end
  Pieces,  // as data goes by
};
/// Whether the thread's own next instruction waits for the occupancy, whatever unit it is for.
enum class ThreadRule : u8 { Passes, Holds };

struct TimingRow {
  const char* name = nullptr;  // null: no such instruction
  TimingRange latency;
  TimingRange occupancy;
  TimingRange per_kib;  // cycles for every KiB that it moves, more of both
  ThreadRule thread = ThreadRule::Passes;
  EffectPoint effect = EffectPoint::Issue;
  Evidence evidence = Evidence::Guessed;
  const char* source = "";
};

/// By opcode.
extern const std::array<TimingRow, 256> kTimingRows;
const char* name_of(EffectPoint point);

/// What one run takes for an instruction.
struct Duration {
  u16 latency = 1;
  u16 occupancy = 1;
  u16 per_kib = 0;
  bool holds_thread = false;

  Cycle latency_of(u32 bytes) const { return latency + moving(bytes); }
  Cycle occupancy_of(u32 bytes) const { return occupancy + moving(bytes); }

 private:
  Cycle moving(u32 bytes) const { return (u64{bytes} * per_kib + 1023) / 1024; }
};

/// At which point of its window an effect lands that need not land at issue.
enum class Placement : u8 {
  Issue,
  End,
  Drawn,  // anywhere between, drawn from the seed for every instruction that is executed
};

/// A timing of the coprocessor: what the Full build of its units takes.
struct Timing {
  std::array<Duration, 256> duration{};
  Placement placement = Placement::Issue;
  u64 seed = 0;  // of draws

  /// A cycle for everything: `fast` and `reference`.
  static Timing single_cycle() { return {}; }
  /// The typical figures of timing.def.
  static Timing typical();
};

}  // namespace bhemu::tensix
