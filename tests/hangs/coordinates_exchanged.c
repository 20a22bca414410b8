// A signal is sent to (y, x) instead of (x, y).
#include "launch.h"
#include "noc.h"
#include "semaphore.h"

#ifdef MENDED
#define TARGET NocXy(3, 5)
#else
#define TARGET NocXy(5, 3)
#endif

static void Main(void) {
  const u32 noc = MyNoc();
  if (MyX(noc) == 1) {
    NocAtomicAdd(noc, TARGET, SemaphoreAddress(0), 1);
    NocAtomicBarrier(noc);
  } else {
    SemaphoreWaitMin(0, 1);  // HERE
  }
}
KERNEL(Main)
