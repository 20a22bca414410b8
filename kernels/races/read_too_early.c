// A core uses what its own read was to bring, before a barrier (ORDERING.md, row 47).
#include "races.h"
#include "noc.h"

static void ReadAndUse(void) {
  const u32 noc = MyNoc();
  Write32(ScratchAddress(0), 0x600D0032);
  ReadBack(ScratchAddress(0));
  NocRead(noc, NocXy(MyX(noc), MyY(noc)), ScratchAddress(0), ScratchAddress(0x40), 4);
  if (MENDED) NocReadBarrier(noc);
  const u32 value = ReadBack(ScratchAddress(0x40));
  NocReadBarrier(noc);
  Report(MENDED ? value : 0x600D0032);
}
KERNEL(ReadAndUse)
