// A tile says that it is ready and then sets its semaphore to 0, with the answer in it.
#include "launch.h"
#include "noc.h"
#include "semaphore.h"

static void Main(void) {
  const u32 noc = MyNoc();
  const u32 other = NocXy(3 - MyX(noc), 2);
  if (MyX(noc) == 1) {
#ifdef MENDED
    SemaphoreSet(0, 0);
#endif
    NocAtomicAdd(noc, other, SemaphoreAddress(1), 1);
    NocAtomicBarrier(noc);
    for (u32 pause = 0; pause < 1000; ++pause) __asm__ volatile("");
#ifndef MENDED
    SemaphoreSet(0, 0);
#endif
    SemaphoreWaitMin(0, 1);  // HERE
  } else {
    SemaphoreWaitMin(1, 1);
    NocAtomicAdd(noc, other, SemaphoreAddress(0), 1);
    NocAtomicBarrier(noc);
  }
}
KERNEL(Main)
