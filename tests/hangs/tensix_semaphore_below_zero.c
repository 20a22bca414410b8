// A semaphore is taken that is zero.
#include "launch.h"
#include "tensix.h"

static void Compute(void) {
  TTI(SEMINIT, .max_value = 1, .init_value = 0, .sem_sel = 1 << 3);
#ifdef MENDED
  TTI(SEMPOST, .sem_sel = 1 << 3);
#endif
  TTI(SEMGET, .sem_sel = 1 << 3);  // HERE
}
KERNEL(Compute)
