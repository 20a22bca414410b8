// The first tile sends a flag word to the second and sets it back at once: the NIU may read the
// word only then, and the second tile waits for ever (tenstorrent/tt-metal #12520, #12627, #12682;
// ORDERING.md, row 45). Arguments: result, x and y of the first tile, x and y of the second.
#include "races.h"
#include "noc.h"

static void SendFlag(u32 noc) {
  const u32 flag = ScratchAddress(0);
  Write32(flag, 1);
  ReadBack(flag);
  NocWrite(noc, flag, NocXy(Arg(3), Arg(4)), ScratchAddress(0x40), 4);
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
  Report(0x600D0009);
}
KERNEL(Flag)
