// BRISC of one tile counts pages into a word of the other by atomics. NCRISC there sets the word to
// 0 when it starts, which can come behind the first count (tenstorrent/tt-metal #18486, #18562;
// ORDERING.md, row 66).
// Arguments: result, x and y of each tile.
#include "noc.h"
#include "races.h"
#include "semaphore.h"

static void LateStart(void) {
  const u32 noc = MyNoc();
  const u32 total = ScratchAddress(0), ready = ScratchAddress(0x40);
#if GUEST_CORE == CORE_BRISC
  if (MyX(noc) == Arg(1)) {
    if (MENDED)
      while (Read32(ready) == 0) Fence();
    for (u32 i = 0; i < 100; ++i) __asm__ volatile("nop");
    NocAtomicAdd(noc, NocXy(Arg(3), Arg(4)), total, 1);
    NocAtomicBarrier(noc);
  }
  Report(0x600D0042);
#else
  if (MyX(noc) == Arg(3)) {
    Write32(total, 0);
    ReadBack(total);
    if (MENDED) {
      Write32(ScratchAddress(0x80), 1);
      ReadBack(ScratchAddress(0x80));
      NocWrite(noc, ScratchAddress(0x80), NocXy(Arg(1), Arg(2)), ready, 4);
      NocWriteBarrier(noc);
    }
    while (Read32(total) == 0) Fence();
  }
#endif
}
KERNEL(LateStart)
