// A litmus pair: a program in two forms, of which one is in order and the other lacks what a row of
// edges.def asks for.
#pragma once

#include <functional>

#include "race/bench.hpp"

namespace bhemu::race::test {

struct Litmus {
  EdgeId edge;
  const char* name;
  void (*run)(Bench& bench, bool ordered);
  FindingKind kind = FindingKind::Race;  // of the form that is not in order
  bool names_the_edge = true;            // its report points at this row
};

/// Of cores (rows 1 to 13, 64, 65), of threads (14 to 42), of the NoC and the host (43 on).
std::vector<Litmus> core_litmus();
std::vector<Litmus> thread_litmus();
std::vector<Litmus> network_litmus();

}  // namespace bhemu::race::test
