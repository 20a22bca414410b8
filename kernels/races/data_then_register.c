// Data go to the other tile, and on the same channel a page counter of its overlay: a register can
// be written before the data in front of it is in memory (ORDERING.md, row 62). Arguments: result,
// x and y of the first tile, x and y of the second.
#include "noc.h"
#include "races.h"

static void Transfer(void) {
  const u32 noc = MyNoc();
  const u32 counter = StreamRegister(9, STREAM_TILES_RECEIVED);
  if (MyX(noc) == Arg(1) && MyY(noc) == Arg(2)) {
    const u32 there = NocXy(Arg(3), Arg(4));
    Write32(ScratchAddress(0), 0x600D003A);
    ReadBack(ScratchAddress(0));
    // Until the second tile has set its counter, in this run.
    for (u32 i = 0; i < 800; ++i) __asm__ volatile("nop");
    NocWrite(noc, ScratchAddress(0), there, ScratchAddress(0x100), 64);
    if (MENDED) NocWriteBarrier(noc);
    NocWriteInline(noc, there, counter, 1);
    NocWriteBarrier(noc);
    Report(0x600D003A);
  } else {
    Write32(counter, 0);
    while ((Read32(counter) & 0xFFFF) != 1) {
    }
    Report(ReadBack(ScratchAddress(0x100)));
  }
}
KERNEL(Transfer)
