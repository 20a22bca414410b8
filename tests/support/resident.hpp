// Memory of this process that is in RAM now.
#pragma once

#include <unistd.h>

#include <fstream>

namespace bhemu::test {

inline double resident_megabytes() {
  std::ifstream statm("/proc/self/statm");
  double total = 0;
  double resident = 0;
  statm >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) * 1e-6;
}

}  // namespace bhemu::test
