// A buffer is filled by stores and copied by a NoC read of the own tile: the NIU may read before
// the last stores are there (tenstorrent/tt-metal #50373, #50374, #57360; ORDERING.md, row 44).
#include "races.h"
#include "noc.h"

static void Copy(void) {
  const u32 noc = MyNoc();
  const u32 source = ScratchAddress(0);
  for (u32 i = 0; i < 16; ++i) Write32(source + 4 * i, 0x600D0000 + i);
  if (MENDED) ReadBack(source + 60);
  NocRead(noc, NocXy(MyX(noc), MyY(noc)), source, ScratchAddress(0x100), 64);
  NocReadBarrier(noc);
  Report(ReadBack(ScratchAddress(0x100) + 60));
}
KERNEL(Copy)
