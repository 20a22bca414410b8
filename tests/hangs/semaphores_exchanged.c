// The receiver is told the two semaphores in the wrong order.
#include "launch.h"
#include "noc.h"
#include "semaphore.h"

// Arguments: the semaphore by which it is told, and the one by which it answers.
static void Main(void) {
  const u32 noc = MyNoc();
  if (MyX(noc) == 1) {
    NocAtomicAdd(noc, NocXy(2, 2), SemaphoreAddress(0), 1);
    NocAtomicBarrier(noc);
    SemaphoreWaitMin(1, 1);
  } else {
    while (Read32(Arg(0)) == 0) InvalidateL1Cache();  // HERE
    NocAtomicAdd(noc, NocXy(1, 2), Arg(1), 1);
    NocAtomicBarrier(noc);
  }
}
KERNEL(Main)
