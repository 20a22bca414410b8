// The math thread posts once more than its consumer allows.
#include "launch.h"
#include "tensix.h"

static void Compute(void) {
  TTI(SEMINIT, .max_value = 1, .init_value = 0, .sem_sel = 1 << 3);
  TTI(SEMPOST, .sem_sel = 1 << 3);
#ifdef MENDED
  TTI(SEMGET, .sem_sel = 1 << 3);
#endif
  TTI(SEMPOST, .sem_sel = 8);  // HERE
  TTI(SEMGET, .sem_sel = 1 << 3);
}
KERNEL(Compute)
