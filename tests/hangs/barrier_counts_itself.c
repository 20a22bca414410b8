// The tile that gathers the others counts itself, and nobody signals for it.
#include "launch.h"
#include "noc.h"
#include "semaphore.h"

#ifdef MENDED
enum { ARRIVALS = 3 };
#else
enum { ARRIVALS = 4 };
#endif

static void Barrier(void) {
  const u32 noc = MyNoc();
  if (MyX(noc) == 1) {
    SemaphoreWaitMin(0, ARRIVALS);  // HERE
    for (u32 x = 2; x <= 4; ++x) NocAtomicAdd(noc, NocXy(x, 2), SemaphoreAddress(1), 1);
  } else {
    NocAtomicAdd(noc, NocXy(1, 2), SemaphoreAddress(0), 1);
    SemaphoreWaitMin(1, 1);
  }
  NocAtomicBarrier(noc);
}
KERNEL(Barrier)
