// What the units have worked out of the configuration and may use again. No state: with an
// environment that lends none, everything is worked out anew each time and gives the same bits.
#pragma once

#include "tensix/pack/whole_rows.hpp"
#include "tensix/sfpu/block.hpp"

namespace bhemu::tensix {

struct DataPaths {
  pack::PathCache pack;
  pack::WholeRows whole_rows;
  sfpu::StepCache sfpu;
  /// One thread executes instructions that cannot change configuration, and nobody else anything:
  /// what has been compared since the burst began needs not be compared again.
  bool in_burst = false;

  void begin_burst() { in_burst = true; }
  void end_burst() {
    in_burst = false;
    distrust();
  }
  /// Something may have changed in the middle of a burst.
  void distrust() { whole_rows.compared = false; }
};

}  // namespace bhemu::tensix
