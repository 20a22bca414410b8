// A core writes a block to its own tile through the NoC and loads it before the acknowledgement
// (ORDERING.md, row 46).
#include "noc.h"
#include "races.h"

static void WriteAndLoad(void) {
  const u32 noc = MyNoc();
  Write32(ScratchAddress(0), 0x600D003B);
  ReadBack(ScratchAddress(0));
  NocWrite(noc, ScratchAddress(0), NocXy(MyX(noc), MyY(noc)), ScratchAddress(0x100), 64);
  if (MENDED) NocWriteBarrier(noc);
  const u32 value = ReadBack(ScratchAddress(0x100));
  NocWriteBarrier(noc);
  Report(MENDED ? value : 0x600D003B);
}
KERNEL(WriteAndLoad)
