// Each tile passes a token to its neighbour; the last one's is outside of the program.
#include "launch.h"
#include "noc.h"
#include "semaphore.h"

static void Pass(void) {
  const u32 noc = MyNoc();
  if (MyX(noc) != 1) SemaphoreWaitMin(0, 1);
#ifdef MENDED
  const u32 next = MyX(noc) == 3 ? 1 : MyX(noc) + 1;
#else
  const u32 next = MyX(noc) + 1;
#endif
  NocAtomicAdd(noc, NocXy(next, 2), SemaphoreAddress(0), 1);
  NocAtomicBarrier(noc);
  if (MyX(noc) == 1) SemaphoreWaitMin(0, 1);  // HERE
}
KERNEL(Pass)
