// Two tiles report to a third, which waits for both; each sets the semaphore and adds nothing.
#include "launch.h"
#include "noc.h"
#include "semaphore.h"

enum { ONE = 0x90000 };

static void Report(u32 noc) {
#ifdef MENDED
  NocAtomicAdd(noc, NocXy(1, 2), SemaphoreAddress(0), 1);
  NocAtomicBarrier(noc);
#else
  Write32(ONE, 1);
  Fence();
  NocWrite(noc, ONE, NocXy(1, 2), SemaphoreAddress(0), 4);
  NocWriteBarrier(noc);
#endif
}

static void Main(void) {
  const u32 noc = MyNoc();
  if (MyX(noc) != 1) return Report(noc);
  SemaphoreWaitMin(0, 2);  // HERE
}
KERNEL(Main)
