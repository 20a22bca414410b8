// A tile waits for a bit of a semaphore; the other one sets another bit.
#include "launch.h"
#include "noc.h"
#include "semaphore.h"

#ifdef MENDED
enum { SIGNAL = 4 };
#else
enum { SIGNAL = 2 };
#endif

static void Main(void) {
  const u32 noc = MyNoc();
  if (MyX(noc) == 1) {
    while ((Read32(SemaphoreAddress(0)) & 4) == 0) InvalidateL1Cache();  // HERE
  } else {
    NocAtomicAdd(noc, NocXy(1, 2), SemaphoreAddress(0), SIGNAL);
    NocAtomicBarrier(noc);
  }
}
KERNEL(Main)
