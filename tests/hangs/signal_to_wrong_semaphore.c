// The signal goes to another semaphore than the one that is waited for. Arguments: whether this
// tile waits, the other's coordinates.
#include "launch.h"
#include "noc.h"
#include "semaphore.h"

#ifdef MENDED
enum { SIGNALLED = 0 };
#else
enum { SIGNALLED = 1 };
#endif

static void Signal(void) {
  const u32 noc = MyNoc();
  NocAtomicAdd(noc, NocXy(Arg(1), Arg(2)), SemaphoreAddress(SIGNALLED), 1);
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
