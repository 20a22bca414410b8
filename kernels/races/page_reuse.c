// A page is sent and filled anew before the NIU has read it (tenstorrent/tt-metal #20663;
// ORDERING.md, row 45).
#include "races.h"
#include "noc.h"

static void SendTwice(void) {
  const u32 noc = MyNoc();
  const u32 page = ScratchAddress(0);
  const u32 here = NocXy(MyX(noc), MyY(noc));
  for (u32 round = 0; round < 2; ++round) {
    for (u32 i = 0; i < 16; ++i) Write32(page + 4 * i, 0x600D0010 + round);
    ReadBack(page + 60);
    NocWrite(noc, page, here, ScratchAddress(0x100 + 0x40 * round), 64);
    if (MENDED) NocWriteBarrier(noc);
  }
  NocWriteBarrier(noc);
  Report(ReadBack(ScratchAddress(0x100)));
}
KERNEL(SendTwice)
