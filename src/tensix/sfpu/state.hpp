// State of the vector unit. Owner: src/tensix/sfpu.
//
// Documents: tt-isa-documentation BlackholeA0 LReg.md, SFPCONFIG.md, VectorUnit.md.
#pragma once

#include <array>

#include "base/types.hpp"
#include "numeric/lanes.hpp"

namespace bhemu::tensix {

using numeric::kLanes;
inline constexpr u32 kLRegs = 17;
inline constexpr u32 kConditionStack = 8;
/// SFPCONFIG writes eight columns; lane i belongs to column i % 8.
inline constexpr u32 kLaneColumns = 8;

using LReg = numeric::Lanes;

/// Predication: a mask has one bit per lane.
struct SfpuCondition {
  u32 use_lane_flags = 0;
  u32 lane_flags = 0;
};

/// Sub-units that SFPLOADMACRO schedules for, in the order of a sequence's bytes, and the one that
/// it runs on itself.
enum class SfpuUnit : u8 { Simple, Mad, Round, Store, Load };

/// An instruction that SFPLOADMACRO has scheduled. No padding: the hash reads its bytes.
struct SfpuScheduled {
  u32 word = 0;
  u32 lanes = 0;    // whose configuration asked for it
  u16 address = 0;  // of a store, computed when the macro was issued
  SfpuUnit unit = SfpuUnit::Simple;
  u8 delay = 0;           // left to count
  u8 by_instruction = 0;  // the delay kind is WaitForElapsedInstructions
  u8 fresh = 0;           // scheduled in this cycle, which does not count
  u8 thread = 0;
  u8 vb = 0, vc = 0, vd = 0;  // instead of the fields of the word
  u16 unused = 0;
};

/// A result of a scheduled instruction on its way to the register file.
struct SfpuWriteback {
  LReg value;
  u32 mask = 0;
  u32 vd = 0;
  u32 cycles = 0;  // ends of cycles until it is there
  std::array<u32, 13> unused{};
};

/// SFPLOADMACRO's schedule. Entries from the counts on are zero.
struct SfpuSchedule {
  u32 waiting_count = 0;
  u32 writeback_count = 0;
  u32 taken = 0;      // sub-units with a scheduled instruction in the present cycle, by bit
  u32 idle_next = 0;  // the latest cycle had SFPSWAP: simple and round may only have SFPNOP now
  u32 condition_pending = 0;
  SfpuCondition condition;  // takes effect when the cycle ends
  /// At most one per sub-unit, delay and column.
  std::array<SfpuScheduled, 4 * 8 * kLaneColumns> waiting{};
  /// At most one per LReg and number of cycles.
  std::array<SfpuWriteback, 2 * kLRegs> writeback{};
  bool empty() const { return waiting_count == 0 && writeback_count == 0; }
};

struct SfpuState {
  /// 0-7 general, 8-10 and 15 constant, 11-14 written by SFPCONFIG only, 16 by SFPLOADMACRO only.
  std::array<LReg, kLRegs> lreg = power_on_lregs();
  SfpuCondition condition;
  std::array<SfpuCondition, kConditionStack> stack{};
  u32 stack_size = 0;
  /// Lanes that LaneConfig.ROW_MASK disables; follows lane_config.
  u32 masked_lanes = 0;
  /// By bit of LaneConfig, the lanes whose column has it set; follows lane_config.
  std::array<u32, 18> lanes_with{};
  /// LaneConfig, 18 bits (SFPCONFIG destination 15).
  std::array<u32, kLaneColumns> lane_config{};
  /// LoadMacroConfig: four instruction templates, four sequences, and the miscellaneous word.
  std::array<std::array<u32, kLaneColumns>, 4> macro_instruction{};
  std::array<std::array<u32, kLaneColumns>, 4> macro_sequence{};
  std::array<u32, kLaneColumns> macro_misc{};
  SfpuSchedule schedule;
  /// One generator per lane, seeded by a write to PRNG_SEED_Seed_Val.
  std::array<u32, kLanes> prng{};

 private:
  static constexpr std::array<LReg, kLRegs> power_on_lregs() {
    std::array<LReg, kLRegs> lreg{};
    lreg[8].lane.fill(0x3F56594B);   // 0.8373
    lreg[10].lane.fill(0x3F800000);  // 1.0
    // What tenstorrent/ttsim starts with; the documents are silent.
    lreg[11].lane.fill(0xBF800000);
    lreg[12].lane.fill(0x3B000000);
    lreg[13].lane.fill(0xBF2CC4C7);
    lreg[14].lane.fill(0xBEB08FF9);
    for (u32 i = 0; i < kLanes; ++i) lreg[15].lane[i] = 2 * i;
    return lreg;
  }
};

}  // namespace bhemu::tensix
