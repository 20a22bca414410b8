// A core's instructions, executed on a copy to see what would have come of other values. Nothing of
// the device changes; what a copy stores is lost.
#pragma once

#include <memory>
#include <vector>

#include "mem/mapping.hpp"
#include "riscv/core.hpp"

namespace bhemu::hazard {

/// Where a branch at `pc` goes when it is taken.
u32 branch_target(u32 pc, u32 word);

class Copy {
 public:
  /// `l1`: of the tile, which is only read.
  Copy(const u8* l1, u32 l1_bytes);
  ~Copy();

  /// What an instruction that computes one register from two gives for other operands.
  u32 result_of(u32 word, u32 a, u32 b);
  /// Whether a branch is taken with these operands.
  bool is_taken(u32 word, u32 a, u32 b);
  /// What the core may do between two looks and still be said to poll.
  enum class Between : u8 {
    Nothing,   // that others could notice
    Requests,  // of its own to the NIU: it polls a word elsewhere
    Stores,    // of its own to L1: it does something else meanwhile
  };
  /// Whether the core, going on at `from`, comes back to the load at `load_pc` of the same address:
  /// then it polls. A compiler can put another load of the address in front of the loop, or make
  /// several rounds of it one, so another load of a loop that it is on the way to will do as well.
  bool comes_back(const riscv::CoreState& state, u32 from, u32 load_pc, u32 address,
                  Between between = Between::Nothing);

 private:
  struct Bus;

  bool go_to_branch(riscv::CoreState& state);
  bool leads_to_any(riscv::CoreState& state, u32 address, std::vector<u32>& loads);
  u32 next_load(riscv::CoreState& state, u32 address, unsigned forks);
  u32 word_at(u32 pc) const;
  u32 place_alone(u32 word);
  void run_alone(u32 pc, u32 a, u32 b);

  riscv::CoreState small_;
  std::unique_ptr<Bus> alone_;   // for a single instruction
  std::unique_ptr<Bus> inside_;  // for code in L1
  unsigned steps_ = 0;           // that are left to `inside_`
};

}  // namespace bhemu::hazard
