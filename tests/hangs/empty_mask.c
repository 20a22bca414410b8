// A semaphore is given by its number where a mask is wanted: 0 names none.
#include "launch.h"
#include "tensix.h"

static void Compute(void) {
#ifdef MENDED
  TTI(SEMINIT, .max_value = 1, .init_value = 0, .sem_sel = 1 << 0);
  TTI(SEMPOST, .sem_sel = 1 << 0);
#else
  TTI(SEMPOST, .sem_sel = 0);  // HERE
#endif
}
KERNEL(Compute)
