// An atomic counts in two bits, so that it begins anew after the third tile.
#include "launch.h"
#include "noc.h"
#include "semaphore.h"

#ifdef MENDED
enum { WRAP = NOC_ATOMIC_WRAP_32 };
#else
enum { WRAP = 1 << 2 };
#endif

static void Add(u32 noc, u32 xy, u32 address) {
  const u32 buffer = NocBuffer(noc, NOC_BUF_ATOMIC);
  NocWaitBuffer(buffer);
  Write32(buffer + NOC_RET_ADDR_LO, L1_NOC_ATOMIC_RET_VAL);
  Write32(buffer + NOC_CTRL, NOC_CMD_AT | NOC_CMD_RESP_MARKED | NOC_CMD_VC_STATIC | NOC_VC_UNICAST);
  Write32(buffer + NOC_TARG_ADDR_LO, address);
  Write32(buffer + NOC_TARG_ADDR_MID, 0);
  Write32(buffer + NOC_TARG_ADDR_HI, xy);
  Write32(buffer + NOC_AT_LEN_BE, NOC_ATOMIC_INCREMENT | WRAP | (address >> 2 & 3));
  Write32(buffer + NOC_AT_DATA, 1);
  Write32(buffer + NOC_CMD_CTRL, 1);
  ++LDM32(LDM_NOC_NONPOSTED_ATOMICS_ACKED + 4 * noc);
}

static void Main(void) {
  const u32 noc = MyNoc();
  Add(noc, NocXy(1, 2), SemaphoreAddress(0));
  NocAtomicBarrier(noc);
  if (MyX(noc) == 1) SemaphoreWaitMin(0, 4);  // HERE
}
KERNEL(Main)
