// Data goes to the other tile over one NoC and the semaphore over the other, with no wait between
// (ORDERING.md, row 50). Arguments: result, x and y of the first tile, x and y of the second.
#include "races.h"
#include "noc.h"
#include "semaphore.h"

static void Transfer(void) {
  const u32 there = NocXy(Arg(3), Arg(4));
  const u32 noc = MyNoc();
  if (MyX(noc) == Arg(1) && MyY(noc) == Arg(2)) {
    const u32 data = ScratchAddress(0);
    for (u32 i = 0; i < 16; ++i) Write32(data + 4 * i, 0x600D0031);
    ReadBack(data + 60);
    NocLocalStateInit(1 - noc);
    NocWrite(noc, data, there, ScratchAddress(0x40), 64);
    if (MENDED) NocWriteBarrier(noc);
    NocAtomicAdd(1 - noc, there, SemaphoreAddress(0), 1);
    NocAtomicBarrier(1 - noc);
    NocWriteBarrier(noc);
    Report(0x600D0031);
  } else {
    SemaphoreWaitMin(0, 1);
    ReadBack(ScratchAddress(0x40) + 60);
    Report(0x600D0031);
  }
}
KERNEL(Transfer)
