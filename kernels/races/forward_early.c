// Blocks go from the first tile by the second to the third. The second gives the first its credit
// when it has sent the block on, while its NIU may still read it (ORDERING.md, row 45).
// Arguments: result, x and y of each tile.
#include "noc.h"
#include "races.h"
#include "semaphore.h"

static void ForwardEarly(void) {
  const u32 noc = MyNoc();
  const u32 a = NocXy(Arg(1), Arg(2)), b = NocXy(Arg(3), Arg(4)), c = NocXy(Arg(5), Arg(6));
  const u32 block = ScratchAddress(0x400);
  if (MyX(noc) == Arg(1)) {
    for (u32 i = 1; i <= 2; ++i) {
      SemaphoreWaitMin(1, i - 1);
      Write32(ScratchAddress(0), i);
      ReadBack(ScratchAddress(0));
      NocWrite(noc, ScratchAddress(0), b, block, 64);
      NocWriteBarrier(noc);
      NocAtomicAdd(noc, b, SemaphoreAddress(0), 1);
      NocAtomicBarrier(noc);
    }
  } else if (MyX(noc) == Arg(3)) {
    for (u32 i = 1; i <= 2; ++i) {
      SemaphoreWaitMin(0, i);
      NocWrite(noc, block, c, block, 64);
      if (MENDED) NocWriteBarrier(noc);
      NocAtomicAdd(noc, a, SemaphoreAddress(1), 1);
      NocAtomicBarrier(noc);
      NocWriteBarrier(noc);
    }
  }
  Report(0x600D0046);
}
KERNEL(ForwardEarly)
