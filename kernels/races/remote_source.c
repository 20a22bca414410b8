// The first tile reads a block of the second and says so before the read is answered: the second
// fills the block again (ORDERING.md, row 47). Arguments: result, x and y of the first tile, x and
// y of the second.
#include "noc.h"
#include "races.h"
#include "semaphore.h"

enum { FILLED = 1, TAKEN = 0 };

static void TakeBlock(u32 noc, u32 there) {
  SemaphoreWaitMin(FILLED, 1);
  NocRead(noc, there, ScratchAddress(0), ScratchAddress(0x100), 64);
  if (MENDED) NocReadBarrier(noc);
  NocAtomicAdd(noc, there, SemaphoreAddress(TAKEN), 1);
  NocAtomicBarrier(noc);
  NocReadBarrier(noc);
}

static void FillBlock(u32 noc, u32 there) {
  Write32(ScratchAddress(0), 1);
  ReadBack(ScratchAddress(0));
  NocAtomicAdd(noc, there, SemaphoreAddress(FILLED), 1);
  NocAtomicBarrier(noc);
  SemaphoreWaitMin(TAKEN, 1);
  Write32(ScratchAddress(0), 2);
}

static void Transfer(void) {
  const u32 noc = MyNoc();
  if (MyX(noc) == Arg(1) && MyY(noc) == Arg(2)) {
    TakeBlock(noc, NocXy(Arg(3), Arg(4)));
  } else {
    FillBlock(noc, NocXy(Arg(1), Arg(2)));
  }
  Report(0x600D0035);
}
KERNEL(Transfer)
