// Data are multicast to two tiles, and one acknowledgement is waited for before both are told
// (ORDERING.md, rows 46 and 51).
// Arguments: result, x and y of each tile.
#include "noc.h"
#include "races.h"
#include "semaphore.h"

static void MulticastAcks(void) {
  const u32 noc = MyNoc();
  if (MyX(noc) == Arg(1)) {
    Write32(ScratchAddress(0), 1);
    ReadBack(ScratchAddress(0));
    const u32 rect = NocRectangle(noc, Arg(3), Arg(4), Arg(5), Arg(6));
    NocWriteMulticast(noc, ScratchAddress(0), rect, ScratchAddress(0x100), 64, MENDED ? 2 : 1);
    while ((i32)(Read32(Niu(noc) + NIU_WR_ACK_RECEIVED) -
                 LDM32(LDM_NOC_NONPOSTED_WRITES_ACKED + 4 * noc)) < 0) {
    }
    NocAtomicAdd(noc, NocXy(Arg(3), Arg(4)), SemaphoreAddress(0), 1);
    NocAtomicAdd(noc, NocXy(Arg(5), Arg(6)), SemaphoreAddress(0), 1);
    NocAtomicBarrier(noc);
    for (u32 i = 0; i < 500; ++i) __asm__ volatile("nop");
    if (!MENDED) LDM32(LDM_NOC_NONPOSTED_WRITES_ACKED + 4 * noc) += 1;
    NocWriteBarrier(noc);
    Report(0x600D004F);
  } else {
    SemaphoreWaitMin(0, 1);
    Report(ReadBack(ScratchAddress(0x100)));
  }
}
KERNEL(MulticastAcks)
