// One tile waits for two signals; the other sends one. Arguments: whether this tile waits, the
// other's coordinates.
#include "launch.h"
#include "noc.h"
#include "semaphore.h"

#ifdef MENDED
enum { SIGNALS = 2 };
#else
enum { SIGNALS = 1 };
#endif

static void Signal(void) {
  const u32 noc = MyNoc();
  for (u32 i = 0; i < SIGNALS; ++i)
    NocAtomicAdd(noc, NocXy(Arg(1), Arg(2)), SemaphoreAddress(1), 1);
  NocAtomicBarrier(noc);
}

static void Meet(void) {
  if (Arg(0)) {
    SemaphoreWaitMin(1, 2);  // HERE
  } else {
    Signal();
  }
}
KERNEL(Meet)
