// Two workers report to a root. They take their own coordinates for the root's.
#include "launch.h"
#include "noc.h"
#include "semaphore.h"
// Arguments: root x, y, index (0: the root).
static void Report(u32 noc) {
#ifdef MENDED
  const u32 root = NocXy(Arg(0), Arg(1));
#else
  const u32 root = NocXy(MyX(noc), MyY(noc));
#endif
  NocAtomicAdd(noc, root, SemaphoreAddress(0), 1);
  NocAtomicBarrier(noc);
}

static void Gather(void) {
  SemaphoreSet(1, Arg(2));  // next to the other one
  if (Arg(2) != 0)
    Report(MyNoc());
  else
    SemaphoreWaitMin(0, 2);  // HERE
}
KERNEL(Gather)
