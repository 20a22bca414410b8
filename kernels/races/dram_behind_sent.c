// BRISC writes a page of DRAM and tells NCRISC when the write has left the tile: it need not have
// reached DRAM when NCRISC reads the page (ORDERING.md, row 46).
#include "cb.h"
#include "noc.h"
#include "races.h"

enum { DRAM_ADDRESS = 0x2000000, PAGE = 64 };

#if GUEST_CORE == CORE_BRISC
static void WritePage(void) {
  const u32 noc = MyNoc();
  const struct interleaved_dram tensor = InterleavedDram(noc, DRAM_ADDRESS, PAGE);
  Write32(ScratchAddress(0), 0x600D0034);
  ReadBack(ScratchAddress(0));
  NocWrite(noc, ScratchAddress(0), DramPageXy(&tensor, 0), DramPageAddress(&tensor, 0), PAGE);
  if (MENDED) NocWriteBarrier(noc);
  NocWaitBuffer(NocBuffer(noc, NOC_BUF_WRITE));
  CbReserveBack(0, 1);
  CbPushBack(0, 1);
  NocWriteBarrier(noc);
}
KERNEL(WritePage)
#else
static void ReadPage(void) {
  const u32 noc = MyNoc();
  const struct interleaved_dram tensor = InterleavedDram(noc, DRAM_ADDRESS, PAGE);
  CbWaitFront(0, 1);
  NocRead(noc, DramPageXy(&tensor, 0), DramPageAddress(&tensor, 0), ScratchAddress(0x100), PAGE);
  NocReadBarrier(noc);
  CbPopFront(0, 1);
  Report(ReadBack(ScratchAddress(0x100)));
}
KERNEL(ReadPage)
#endif
