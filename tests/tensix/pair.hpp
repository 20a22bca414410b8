// Two coprocessors that get the same words: one executes them in one go, the other cycle by cycle.
#pragma once

#include <gtest/gtest.h>

#include "tensix/harness.hpp"

namespace bhemu::tensix::test {

struct Pair {
  Harness together;
  Harness alone;

  template <class F>
  void both(F f) {
    f(together);
    f(alone);
  }
  /// The first in one go, the second cycle by cycle.
  void run(u32 cycles) {
    together.run(cycles);
    for (u32 i = 0; i < cycles; ++i) alone.run(1);
  }
  testing::AssertionResult same() {
    const auto& a = together.faults.faults();
    const auto& b = alone.faults.faults();
    if (a.size() != b.size()) return testing::AssertionFailure() << "faults differ";
    for (std::size_t i = 0; i < a.size(); ++i)
      if (a[i].rule != b[i].rule || a[i].cycle != b[i].cycle)
        return testing::AssertionFailure() << "fault " << i << " differs";
    if (together.state().busy_until != alone.state().busy_until)
      return testing::AssertionFailure() << "windows differ";
    if (together.coprocessor.hash(0) != alone.coprocessor.hash(0))
      return testing::AssertionFailure() << "states differ";
    return testing::AssertionSuccess();
  }
};

}  // namespace bhemu::tensix::test
