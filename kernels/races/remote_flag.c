// The first tile writes data into a third and a flag beside them, by two channels. The second tile
// polls the flag by NoC reads and then reads the data: what its loop proves is what the flag's
// writer knew (ORDERING.md, rows 46 and 53).
// Arguments: result, x and y of each tile.
#include "noc.h"
#include "races.h"

static void Transfer(void) {
  const u32 noc = MyNoc();
  const u32 third = NocXy(Arg(5), Arg(6));
  if (MyX(noc) == Arg(1)) {
    Write32(ScratchAddress(0), 1);
    Write32(ScratchAddress(0x40), 7);
    ReadBack(ScratchAddress(0x40));
    NocWriteBursts(noc, NOC_VC_UNICAST, ScratchAddress(0x40), third, ScratchAddress(0x100), 16, 1);
    if (MENDED) NocWriteBarrier(noc);
    NocWriteBursts(noc, 2 << 13, ScratchAddress(0), third, ScratchAddress(0), 16, 1);
    NocWriteBarrier(noc);
  } else if (MyX(noc) == Arg(3)) {
    do {
      NocRead(noc, third, ScratchAddress(0), ScratchAddress(0x200), 16);
      NocReadBarrier(noc);
    } while (Read32(ScratchAddress(0x200)) == 0);
    NocRead(noc, third, ScratchAddress(0x100), ScratchAddress(0x300), 16);
    NocReadBarrier(noc);
  }
  Report(0x600D0040);
}
KERNEL(Transfer)
