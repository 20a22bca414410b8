// The kernel ends without waiting for its write.
#include "launch.h"
#include "noc.h"

static void Send(void) {
  const u32 noc = MyNoc();
  Write32(0x100000, 7);
  NocWrite(noc, 0x100000, NocXy(2, 2), 0x100000, 64);  // HERE
#ifdef MENDED
  NocWriteBarrier(noc);
#endif
}
KERNEL(Send)
