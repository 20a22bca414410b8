// A tile waits for a report of every other tile; one of them has no kernel.
#include "launch.h"
#include "noc.h"
#include "semaphore.h"

static void Main(void) {
  const u32 noc = MyNoc();
  if (MyX(noc) == 1) {
    SemaphoreWaitMin(0, 2);  // HERE
  } else {
    NocAtomicAdd(noc, NocXy(1, 2), SemaphoreAddress(0), 1);
    NocAtomicBarrier(noc);
  }
}
KERNEL(Main)
