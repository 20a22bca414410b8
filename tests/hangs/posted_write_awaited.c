// A barrier for a write that asked for no acknowledgement.
#include "launch.h"
#include "noc.h"

static void Send(void) {
  const u32 noc = MyNoc();
  const u32 buffer = NocBuffer(noc, NOC_BUF_WRITE);
  NocWaitBuffer(buffer);
#ifdef MENDED
  Write32(buffer + NOC_CTRL, NOC_CMD_WR | NOC_CMD_RESP_MARKED | NOC_CMD_VC_STATIC | NOC_VC_UNICAST);
#else
  Write32(buffer + NOC_CTRL, NOC_CMD_WR | NOC_CMD_VC_STATIC | NOC_VC_UNICAST);
#endif
  Write32(buffer + NOC_TARG_ADDR_LO, 0x100000);
  Write32(buffer + NOC_RET_ADDR_LO, 0x100000);
  Write32(buffer + NOC_RET_ADDR_MID, 0);
  Write32(buffer + NOC_RET_ADDR_HI, NocXy(2, 2));
  Write32(buffer + NOC_AT_LEN_BE, 64);
  Write32(buffer + NOC_CMD_CTRL, 1);
  ++LDM32(LDM_NOC_NONPOSTED_WRITES_ACKED + 4 * noc);
  NocWriteBarrier(noc);  // HERE
}
KERNEL(Send)
