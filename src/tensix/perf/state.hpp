// Performance counters of a tile. Owner: src/tensix/perf.
#pragma once

#include <array>
#include <type_traits>

#include "base/types.hpp"

namespace bhemu::tensix {

/// The five groups, each with registers of its own.
enum class PerfBank : u8 { InstrnThread, TdmaUnpack, TdmaPack, Fpu, L1 };
inline constexpr u32 kPerfBanks = 5;

inline constexpr u32 kPerfCounters = 0
#define COUNTER(bank, select, name, level, meaning) +1
#define REFUSED(bank, select, name, why)
#include "tensix/perf/perf.def"
#undef COUNTER
#undef REFUSED
    ;

/// One bit for each counter: whether it counts in a cycle.
using PerfLevels = std::array<u64, (kPerfCounters + 63) / 64>;

struct PerfState {
  /// A bank counts the cycles c with from <= c < until; until is kNever while it runs.
  std::array<Cycle, kPerfBanks> from{};
  std::array<Cycle, kPerfBanks> until{};
  std::array<u32, kPerfBanks> without_cycles{};  // mode 2: no reference cycles
  u32 unused = 0;
  /// Cycles before this one are in `count`; from there on the levels are `held`.
  Cycle counted = 0;
  PerfLevels held{};
  std::array<u64, kPerfCounters> count{};
};
// The state hash reads the bytes.
static_assert(std::has_unique_object_representations_v<PerfState>);

}  // namespace bhemu::tensix
