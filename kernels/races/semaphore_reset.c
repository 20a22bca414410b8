// The receiver waits for an increment and sets its semaphore back to 0 by a store. Broken, the
// sender does not wait for its credit, and an increment can be lost (ORDERING.md, row 66).
// Arguments: result, x and y of each tile.
#include "noc.h"
#include "races.h"
#include "semaphore.h"

static void SemaphoreReset(void) {
  const u32 noc = MyNoc();
  const u32 a = NocXy(Arg(1), Arg(2)), b = NocXy(Arg(3), Arg(4));
  for (u32 i = 1; i <= 3; ++i) {
    if (MyX(noc) == Arg(1)) {
      if (MENDED) SemaphoreWaitMin(1, i - 1);
      NocAtomicAdd(noc, b, SemaphoreAddress(0), 1);
      NocAtomicBarrier(noc);
    } else {
      SemaphoreWaitMin(0, 1);
      SemaphoreSet(0, 0);
      ReadBack(SemaphoreAddress(0));
      NocAtomicAdd(noc, a, SemaphoreAddress(1), 1);
      NocAtomicBarrier(noc);
      if (!MENDED) break;
    }
  }
  Report(0x600D0045);
}
KERNEL(SemaphoreReset)
