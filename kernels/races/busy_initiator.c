// The registers of a request initiator are written for the next request while the one before may
// not have been accepted (tenstorrent/tt-metal #56023; ORDERING.md, row 43).
#include "races.h"
#include "noc.h"

static void TwoReads(void) {
  const u32 noc = MyNoc();
  const u32 source = ScratchAddress(0);
  const u32 buffer = NocBuffer(noc, NOC_BUF_READ);
  const u32 here = NocXy(MyX(noc), MyY(noc));
  Write32(source, 0x600D0014);
  ReadBack(source);
  for (u32 i = 0; i < 2; ++i) {
    if (MENDED || i == 0) NocWaitBuffer(buffer);
    Write32(buffer + NOC_RET_ADDR_LO, ScratchAddress(0x40 + 0x40 * i));
    Write32(buffer + NOC_TARG_ADDR_LO, source);
    Write32(buffer + NOC_TARG_ADDR_MID, 0);
    Write32(buffer + NOC_TARG_ADDR_HI, here);
    Write32(buffer + NOC_AT_LEN_BE, 4);
    Write32(buffer + NOC_CMD_CTRL, 1);
    ++LDM32(LDM_NOC_READS_NUM_ISSUED + 4 * noc);
  }
  NocReadBarrier(noc);
  Report(ReadBack(ScratchAddress(0x80)));
}
KERNEL(TwoReads)
