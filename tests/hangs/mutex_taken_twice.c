// A thread takes a mutex that it holds.
#include "launch.h"
#include "tensix.h"

static void Compute(void) {
  TTI(ATGETM, .mutex_index = 2);
#ifdef MENDED
  TTI(ATRELM, .mutex_index = 2);
#endif
  TTI(ATGETM, .mutex_index = 2);  // (its word stands twice in the kernel)
  TTI(ATRELM, .mutex_index = 2);
}
KERNEL(Compute)
