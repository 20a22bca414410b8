// Two tiles wait for each other's signal before they send their own. Arguments: the other tile,
// whether this one is the first.
#include "launch.h"
#include "noc.h"
#include "semaphore.h"

static void Send(void) {
  const u32 noc = MyNoc();
  NocAtomicAdd(noc, NocXy(Arg(0), Arg(1)), SemaphoreAddress(0), 1);
  NocAtomicBarrier(noc);
}

static void Exchange(void) {
#ifdef MENDED
  if (Arg(2)) Send();
  SemaphoreWaitMin(0, 1);
  if (!Arg(2)) Send();
#else
  SemaphoreWaitMin(0, 1);  // HERE
  Send();
#endif
}
KERNEL(Exchange)
