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

struct SfpuState {
  /// 0-7 general, 8-10 and 15 constant, 11-14 written by SFPCONFIG only, 16 by SFPLOADMACRO only.
  std::array<LReg, kLRegs> lreg = power_on_lregs();
  SfpuCondition condition;
  std::array<SfpuCondition, kConditionStack> stack{};
  u32 stack_size = 0;
  /// Lanes that LaneConfig.ROW_MASK disables; follows lane_config.
  u32 masked_lanes = 0;
  /// LaneConfig, 18 bits (SFPCONFIG destination 15).
  std::array<u32, kLaneColumns> lane_config{};
  /// LoadMacroConfig: four instruction templates, four sequences, and the miscellaneous word.
  std::array<std::array<u32, kLaneColumns>, 4> macro_instruction{};
  std::array<std::array<u32, kLaneColumns>, 4> macro_sequence{};
  std::array<u32, kLaneColumns> macro_misc{};
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
