// There is no mutex 1.
#include "launch.h"
#include "tensix.h"

#ifdef MENDED
enum { MUTEX = 2 };
#else
enum { MUTEX = 1 };
#endif

static void Guarded(void) {
  TTI(ATGETM, .mutex_index = MUTEX);  // HERE
  TTI(SFPNOP);
  TTI(ATRELM, .mutex_index = MUTEX);
}
KERNEL(Guarded)
