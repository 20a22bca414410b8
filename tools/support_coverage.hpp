// Which rows of the support matrix programs have used: an observer of tiles that counts.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "support_checks.hpp"
#include "trace/observer.hpp"

namespace bhemu::support {

/// How much of one row has been used.
struct Use {
  Row row;
  u64 instructions = 0;  // that had one of its values
  u32 values = 0;        // values and flags that the row names; 1: it speaks of the instruction
  u32 seen = 0;          // of them
};

/// Counts for any number of tiles, on any number of host threads.
class RowCoverage {
 public:
  RowCoverage();
  ~RowCoverage();
  RowCoverage(const RowCoverage&) = delete;
  RowCoverage& operator=(const RowCoverage&) = delete;

  /// For one tile; must not outlive this.
  std::unique_ptr<trace::Observer> observer();
  /// An instruction was executed.
  void count(u32 word);
  /// All rows, in the order of the tables.
  std::vector<Use> uses() const;

 private:
  /// A value or flag of a row, and how often it was there.
  struct Value {
    u8 low = 0;
    u8 width = 0;  // 0: any word
    u32 wanted = 0;
    std::atomic<u64> times = 0;
  };
  struct Counted {
    Row row;
    std::unique_ptr<Value[]> values;
    u32 count = 0;
    std::atomic<u64> instructions = 0;
  };

  std::vector<std::unique_ptr<Counted>> rows_;
  std::array<std::vector<Counted*>, 256> of_opcode_;
};

}  // namespace bhemu::support
