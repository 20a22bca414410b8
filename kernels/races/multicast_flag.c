// The first tile multicasts a flag word and sets it back before it waits for the multicast
// (tenstorrent/tt-metal #27979; ORDERING.md, rows 45 and 51). Arguments: result, x and y of the
// first tile, x and y of the second.
#include "races.h"
#include "noc.h"

static void SendFlag(u32 noc) {
  const u32 flag = ScratchAddress(0);
  const u32 rectangle = NocRectangle(noc, Arg(3), Arg(4), Arg(3), Arg(4));
  Write32(flag, 1);
  ReadBack(flag);
  NocWriteMulticast(noc, flag, rectangle, ScratchAddress(0x40), 4, 1);
  if (MENDED) NocWriteBarrier(noc);
  Write32(flag, 0);
  NocWriteBarrier(noc);
}

static void Flag(void) {
  const u32 noc = MyNoc();
  if (MyX(noc) == Arg(1) && MyY(noc) == Arg(2)) {
    SendFlag(noc);
  } else {
    for (u32 i = 0; i < 2000 && Read32(ScratchAddress(0x40)) == 0; ++i) InvalidateL1Cache();
  }
  Report(0x600D0018);
}
KERNEL(Flag)
