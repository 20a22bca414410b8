// The signal goes to another tile than the one that waits. Arguments: whether this tile waits, the
// coordinates that the other signals to.
#include "launch.h"
#include "noc.h"
#include "semaphore.h"

static void Signal(void) {
  const u32 noc = MyNoc();
  NocAtomicAdd(noc, NocXy(Arg(1), Arg(2)), SemaphoreAddress(0), 1);
  NocAtomicBarrier(noc);
}

static void Meet(void) {
  if (Arg(0)) {
    SemaphoreWaitMin(0, 1);  // HERE
  } else {
    Signal();
  }
}
KERNEL(Meet)
