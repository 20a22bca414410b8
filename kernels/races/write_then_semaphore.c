// Data and then a semaphore go the same way on the same channel, with nothing between: shipped
// software relies on their order, no document promises it (tenstorrent/tt-metal #48478, #55556;
// ORDERING.md, row 49). Arguments: result, x and y of the first tile, x and y of the second.
#include "races.h"
#include "noc.h"
#include "semaphore.h"

static void Transfer(void) {
  const u32 noc = MyNoc();
  const u32 there = NocXy(Arg(3), Arg(4));
  if (MyX(noc) == Arg(1) && MyY(noc) == Arg(2)) {
    const u32 data = ScratchAddress(0);
    for (u32 i = 0; i < 16; ++i) Write32(data + 4 * i, 0x600D0013);
    ReadBack(data + 60);
    NocWrite(noc, data, there, ScratchAddress(0x40), 64);
    if (MENDED) NocWriteBarrier(noc);
    NocAtomicAdd(noc, there, SemaphoreAddress(0), 1);
    NocAtomicBarrier(noc);
    NocWriteBarrier(noc);
    Report(0x600D0013);
  } else {
    SemaphoreWaitMin(0, 1);
    Report(Read32(ScratchAddress(0x40) + 60));
  }
}
KERNEL(Transfer)
