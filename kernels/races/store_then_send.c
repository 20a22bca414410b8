// A word is stored and sent over the NoC: the NIU may read L1 before the store is there
// (tenstorrent/tt-metal #50367, #50368; ORDERING.md, row 44).
#include "races.h"
#include "noc.h"

static void Send(void) {
  const u32 noc = MyNoc();
  const u32 source = ScratchAddress(0);
  Write32(source, 0x600D000A);
  if (MENDED) ReadBack(source);
  NocWrite(noc, source, NocXy(MyX(noc), MyY(noc)), ScratchAddress(0x40), 4);
  NocWriteBarrier(noc);
  Report(ReadBack(ScratchAddress(0x40)));
}
KERNEL(Send)
