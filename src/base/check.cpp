#include "base/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace bhemu {

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "bhemu: internal error: %s does not hold (%s:%d)\n", condition, file, line);
  std::abort();
}

}  // namespace bhemu
