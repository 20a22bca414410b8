// A page of a circular buffer has two consumers: BRISC, who acknowledges it by the page counter,
// and TRISC0 by a word of L1. The producer waits for the first only (ORDERING.md, row 66).
#include "cb.h"
#include "races.h"

static void TwoConsumers(void) {
#if GUEST_CORE == CORE_NCRISC
  const u32 cb = CbWritePointer(0);
  for (u32 i = 1; i <= 3; ++i) {
    CbReserveBack(0, 1);
    if (MENDED)
      while (Read32(ScratchAddress(0x40)) != i - 1) Fence();
    Write32(cb, i);
    ReadBack(cb);
    Write32(ScratchAddress(0), i);
    CbPushBack(0, 1);
  }
  Report(0x600D0043);
#elif GUEST_CORE == CORE_BRISC
  for (u32 i = 1; i <= 3; ++i) {
    CbWaitFront(0, 1);
    ReadBack(CbReadPointer(0));
    CbPopFront(0, 1);
  }
#else
  const u32 page = LocalCb(0)->fifo_rd_ptr * 16;
  u32 last = 0;
  while (last != 3) {
    const u32 now = Read32(ScratchAddress(0));
    Fence();
    if (now == last) continue;
    last = now;
    ReadBack(page);
    Write32(ScratchAddress(0x40), now);
  }
#endif
}
KERNEL(TwoConsumers)
