// A core's instructions, executed on a copy to see what would have come of other values. Nothing of
// the device changes; what a copy stores is lost.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "riscv/core.hpp"

namespace bhemu::hazard {

/// Where a branch at `pc` goes when it is taken.
u32 branch_target(u32 pc, u32 word);

/// What instructions are executed on: registers, and tables of decoded words that are large. The
/// tiles of a device lend them to each other, so that there are as many as host threads, and code
/// that all tiles have is decoded once.
class CopyBench;
class CopyBenches {
 public:
  CopyBenches();
  ~CopyBenches();
  std::unique_ptr<CopyBench> take();
  void give_back(std::unique_ptr<CopyBench> bench);

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<CopyBench>> free_;
};

class Copy {
 public:
  /// `l1`: of the tile, kL1Size bytes, which are only read.
  Copy(const u8* l1, CopyBenches& benches);
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

  /// Keeps a bench for several of these questions.
  class Use {
   public:
    explicit Use(Copy& copy);
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    Copy& copy_;
  };

 private:
  const u8* l1_;
  CopyBenches& benches_;
  std::unique_ptr<CopyBench> bench_;  // null: not in use
  unsigned uses_ = 0;
};

}  // namespace bhemu::hazard
