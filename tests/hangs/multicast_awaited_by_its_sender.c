// All tiles wait for a flag that one of them multicasts; the multicast leaves its sender out.
#include "launch.h"
#include "noc.h"
#include "semaphore.h"

enum { ONE = 0x90000 };

static void Main(void) {
  const u32 noc = MyNoc();
  if (MyX(noc) == 1) {
    Write32(ONE, 1);
    Fence();
    const u32 rectangle = NocRectangle(noc, 1, 2, 3, 2);
#ifdef MENDED
    NocWriteMulticastLoopback(noc, ONE, rectangle, SemaphoreAddress(0), 4, 3);
#else
    NocWriteMulticast(noc, ONE, rectangle, SemaphoreAddress(0), 4, 2);
#endif
    NocWriteBarrier(noc);
  }
  SemaphoreWaitMin(0, 1);  // HERE
}
KERNEL(Main)
