// A posted write is followed by a look at the counter of non-posted ones, and its source is used
// again (tenstorrent/tt-metal #48586; ORDERING.md, row 45).
#include "races.h"
#include "noc.h"

static void PostedWrite(u32 noc, u32 l1, u32 xy, u32 address, u32 size) {
  const u32 buffer = NocBuffer(noc, NOC_BUF_WRITE);
  NocWaitBuffer(buffer);
  Write32(buffer + NOC_CTRL, NOC_CMD_WR | NOC_CMD_VC_STATIC | NOC_VC_UNICAST);
  Write32(buffer + NOC_TARG_ADDR_LO, l1);
  Write32(buffer + NOC_RET_ADDR_LO, address);
  Write32(buffer + NOC_RET_ADDR_MID, 0);
  Write32(buffer + NOC_RET_ADDR_HI, xy);
  Write32(buffer + NOC_AT_LEN_BE, size);
  Write32(buffer + NOC_CMD_CTRL, 1);
}

static void PostAndReuse(void) {
  const u32 noc = MyNoc();
  const u32 source = ScratchAddress(0);
  const u32 posted = Read32(Niu(noc) + NIU_POSTED_WR_REQ_SENT);
  const u32 sent = Read32(Niu(noc) + NIU_NONPOSTED_WR_REQ_SENT);
  Write32(source, 0x600D0012);
  ReadBack(source);
  PostedWrite(noc, source, NocXy(MyX(noc), MyY(noc)), ScratchAddress(0x40), 4);
  if (MENDED) {
    while (Read32(Niu(noc) + NIU_POSTED_WR_REQ_SENT) != posted + 1) {
    }
  } else {
    while (Read32(Niu(noc) + NIU_NONPOSTED_WR_REQ_SENT) != sent) {
    }
  }
  Write32(source, 0);
  while (Read32(ScratchAddress(0x40)) == 0) InvalidateL1Cache();
  Report(Read32(ScratchAddress(0x40)));
}
KERNEL(PostAndReuse)
