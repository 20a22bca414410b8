// A core's instructions, executed on a copy to see what would have come of other values. Nothing of
// the device changes; what a copy stores is lost.
#pragma once

#include <memory>

#include "mem/mapping.hpp"
#include "riscv/core.hpp"

namespace bhemu::hazard {

class Copy {
 public:
  /// `l1`: of the tile, which is only read.
  Copy(const u8* l1, u32 l1_bytes);
  ~Copy();

  /// What an instruction that computes one register from two gives for other operands.
  u32 result_of(u32 word, u32 a, u32 b);
  /// Whether a branch is taken with these operands.
  bool is_taken(u32 word, u32 a, u32 b);
  /// Whether the core, going on at `from`, comes back to the load at `load_pc` of the same address
  /// without having done anything that others could notice: then it polls.
  bool comes_back(const riscv::CoreState& state, u32 from, u32 load_pc, u32 address);

 private:
  struct Bus;

  riscv::CoreState small_;
  riscv::CoreState state_;
  std::unique_ptr<Bus> alone_;   // for a single instruction
  std::unique_ptr<Bus> inside_;  // for code in L1
};

}  // namespace bhemu::hazard
