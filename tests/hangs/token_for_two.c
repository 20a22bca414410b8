// A tile starts one of two that wait for it, and then waits for both.
#include "launch.h"
#include "noc.h"
#include "semaphore.h"

static void Main(void) {
  const u32 noc = MyNoc();
  if (MyX(noc) == 1) {
    NocAtomicAdd(noc, NocXy(2, 2), SemaphoreAddress(0), 1);
#ifdef MENDED
    NocAtomicAdd(noc, NocXy(3, 2), SemaphoreAddress(0), 1);
#endif
    NocAtomicBarrier(noc);
    SemaphoreWaitMin(1, 2);
  } else {
    SemaphoreWaitMin(0, 1);  // HERE
    NocAtomicAdd(noc, NocXy(1, 2), SemaphoreAddress(1), 1);
    NocAtomicBarrier(noc);
  }
}
KERNEL(Main)
