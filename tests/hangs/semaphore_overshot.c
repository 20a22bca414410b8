// One tile waits for exactly one signal; the other sends two before it looks.
#include "launch.h"
#include "noc.h"
#include "semaphore.h"

#ifdef MENDED
enum { SIGNALS = 1 };
#else
enum { SIGNALS = 2 };
#endif

static void Signal(void) {
  const u32 noc = MyNoc();
  for (u32 i = 0; i < SIGNALS; ++i)
    NocAtomicAdd(noc, NocXy(Arg(1), Arg(2)), SemaphoreAddress(0), 1);
  NocAtomicBarrier(noc);
}

static void Meet(void) {
  if (Arg(0)) {
    for (volatile u32 i = 0; i < 1000; ++i) {
    }
    while (Read32(SemaphoreAddress(0)) != 1) InvalidateL1Cache();  // HERE
  } else {
    Signal();
  }
}
KERNEL(Meet)
