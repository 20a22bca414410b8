// Three tiles pass a token on that nobody has put into the ring.
#include "launch.h"
#include "noc.h"
#include "semaphore.h"

static void Pass(void) {
  const u32 noc = MyNoc();
  for (u32 round = 1; round < 5; ++round) {
#ifdef MENDED
    const u32 first = Arg(2) == 0;
#else
    const u32 first = 0;
#endif
    if (!(first && round == 1))
      while (Read32(SemaphoreAddress(0)) != round - first) InvalidateL1Cache();  // HERE
    NocAtomicAdd(noc, NocXy(Arg(0), Arg(1)), SemaphoreAddress(0), 1);
  }
  NocAtomicBarrier(noc);
}
KERNEL(Pass)
