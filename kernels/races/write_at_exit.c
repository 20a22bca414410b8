// A kernel returns while a write is under way (tenstorrent/tt-metal #42088, #22561, #42974;
// ORDERING.md, row 54).
#include "races.h"
#include "noc.h"

static void WriteAndLeave(void) {
  const u32 noc = MyNoc();
  Report(0x600D000E);
  ReadBack(ResultAddress());
  NocWrite(noc, ScratchAddress(0), NocXy(MyX(noc), MyY(noc)), ScratchAddress(0x400), 1024);
  if (MENDED) NocWriteBarrier(noc);
}
KERNEL(WriteAndLeave)
