// A semaphore begins above its maximum.
#include "launch.h"
#include "tensix.h"

static void Compute(void) {
#ifdef MENDED
  TTI(SEMINIT, .max_value = 2, .init_value = 2, .sem_sel = 1 << 3);
#else
  TTI(SEMINIT, .max_value = 1, .init_value = 2, .sem_sel = 1 << 3);  // HERE
#endif
}
KERNEL(Compute)
