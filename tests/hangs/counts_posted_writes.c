// A write that asks for an answer is waited for in the counter of those that do not.
#include "launch.h"
#include "noc.h"

#ifdef MENDED
enum { SENT = NIU_NONPOSTED_WR_REQ_SENT, BEFORE = LDM_NOC_NONPOSTED_WRITES_NUM_ISSUED };
#else
enum { SENT = NIU_POSTED_WR_REQ_SENT, BEFORE = LDM_NOC_POSTED_WRITES_NUM_ISSUED };
#endif

static void Send(void) {
  const u32 noc = MyNoc();
  const u32 wanted = LDM32(BEFORE + 4 * noc) + 1;
  NocWrite(noc, 0x90000, NocXy(2, 2), 0x90000, 64);
  while (Read32(Niu(noc) + SENT) != wanted) {  // HERE
  }
  NocWriteBarrier(noc);
}
KERNEL(Send)
