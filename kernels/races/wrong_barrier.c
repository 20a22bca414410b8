// A write's source is used again after a barrier for atomics, which says nothing of writes
// (tenstorrent/tt-metal #33710, #33811; ORDERING.md, rows 45 and 48).
#include "races.h"
#include "noc.h"

static void WriteAndReuse(void) {
  const u32 noc = MyNoc();
  const u32 source = ScratchAddress(0);
  Write32(source, 0x600D000F);
  ReadBack(source);
  NocWrite(noc, source, NocXy(MyX(noc), MyY(noc)), ScratchAddress(0x40), 4);
  if (MENDED) {
    NocWriteBarrier(noc);
  } else {
    NocAtomicBarrier(noc);
  }
  Write32(source, 0);
  NocWriteBarrier(noc);
  Report(ReadBack(ScratchAddress(0x40)));
}
KERNEL(WriteAndReuse)
