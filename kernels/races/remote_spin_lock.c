// Two tiles change a page of DRAM under a spin lock in a third, which they take by a compare and
// swap of the NIU and look at. Broken, the last of them once lets go before its write is
// acknowledged (ORDERING.md, row 46). Arguments: result, x and y of the lock's tile, x of the last.
#include "noc.h"
#include "races.h"
#include "semaphore.h"

enum { ROUNDS = 3, START = 1, DATA = 0x40, DRAM_ADDRESS = 0x2000000, PAGE = 64 };

// Compares with 0, or 1, and sets to 1, or 0. Returns what was there.
static u32 CompareAndSwap(u32 noc, u32 owner, u32 wanted) {
  const u32 buffer = NocBuffer(noc, NOC_BUF_ATOMIC);
  NocWaitBuffer(buffer);
  Write32(buffer + NOC_RET_ADDR_LO, L1_NOC_ATOMIC_RET_VAL);
  Write32(buffer + NOC_CTRL, NOC_CMD_AT | NOC_CMD_RESP_MARKED | NOC_CMD_VC_STATIC | NOC_VC_UNICAST);
  Write32(buffer + NOC_TARG_ADDR_LO, SemaphoreAddress(0));
  Write32(buffer + NOC_TARG_ADDR_MID, 0);
  Write32(buffer + NOC_TARG_ADDR_HI, owner);
  Write32(buffer + NOC_AT_LEN_BE,
          4 << 12 | wanted << 2 | (1 - wanted) << 6 | (SemaphoreAddress(0) >> 2 & 3));
  Write32(buffer + NOC_CMD_CTRL, 1);
  ++LDM32(LDM_NOC_NONPOSTED_ATOMICS_ACKED + 4 * noc);
  NocAtomicBarrier(noc);
  return Read32(L1_NOC_ATOMIC_RET_VAL);
}

static void Change(void) {
  const u32 noc = MyNoc();
  const u32 owner = NocXy(Arg(1), Arg(2));
  const struct interleaved_dram tensor = InterleavedDram(noc, DRAM_ADDRESS, PAGE);
  const u32 data = ScratchAddress(DATA);
  for (u32 i = 0; i < PAGE; i += 4) Write32(data + i, 0);
  ReadBack(data + PAGE - 4);
  if (MyX(noc) == Arg(1)) {
    NocWrite(noc, data, DramPageXy(&tensor, 0), DramPageAddress(&tensor, 0), PAGE);
    NocWriteBarrier(noc);
    for (u32 x = Arg(1) + 1; x <= Arg(3); ++x)
      NocAtomicAdd(noc, NocXy(x, Arg(2)), SemaphoreAddress(START), 1);
    NocAtomicBarrier(noc);
  } else {
    SemaphoreWaitMin(START, 1);
  }
  for (u32 round = 0; MyX(noc) != Arg(1) && round < ROUNDS; ++round) {
    while (CompareAndSwap(noc, owner, 0) != 0) {
    }
    NocRead(noc, DramPageXy(&tensor, 0), DramPageAddress(&tensor, 0), data, PAGE);
    NocReadBarrier(noc);
    Write32(data, Read32(data) + 1);
    ReadBack(data);
    NocWrite(noc, data, DramPageXy(&tensor, 0), DramPageAddress(&tensor, 0), PAGE);
    if (MENDED || MyX(noc) != Arg(3) || round != 1) NocWriteBarrier(noc);
    CompareAndSwap(noc, owner, 1);
    NocWriteBarrier(noc);
  }
  Report(0x600D005C);
}
KERNEL(Change)
