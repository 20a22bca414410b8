// The first tile writes to the third and tells the second, which tells the third. Broken, the write
// need not have landed by then (ORDERING.md, row 46). Arguments: result, x and y of each tile.
#include "noc.h"
#include "races.h"
#include "semaphore.h"

enum { WORDS = 16, DATA = 0x40, THERE = 0x80 };

static void PassOn(void) {
  const u32 noc = MyNoc();
  const u32 second = NocXy(Arg(3), Arg(4));
  const u32 third = NocXy(Arg(5), Arg(6));
  if (MyX(noc) == Arg(1)) {
    for (u32 i = 0; i < WORDS; ++i) Write32(ScratchAddress(DATA) + 4 * i, i);
    ReadBack(ScratchAddress(DATA) + 4 * (WORDS - 1));
    NocWrite(noc, ScratchAddress(DATA), third, ScratchAddress(THERE), 4 * WORDS);
    if (MENDED) NocWriteBarrier(noc);
    NocAtomicAdd(noc, second, SemaphoreAddress(0), 1);
    NocAtomicBarrier(noc);
    NocWriteBarrier(noc);
  } else if (MyX(noc) == Arg(3)) {
    SemaphoreWaitMin(0, 1);
    NocAtomicAdd(noc, third, SemaphoreAddress(0), 1);
    NocAtomicBarrier(noc);
  } else {
    SemaphoreWaitMin(0, 1);
    for (u32 i = 0; i < WORDS; ++i) ReadBack(ScratchAddress(THERE) + 4 * i);
  }
  Report(0x600D0051);
}
KERNEL(PassOn)
