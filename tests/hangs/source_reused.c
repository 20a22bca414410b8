// A buffer is filled anew while the write out of it need not have left.
#include "launch.h"
#include "noc.h"

enum { BUFFER = 0x100000 };

static void SendTwice(void) {
  const u32 noc = MyNoc();
  for (u32 round = 0; round < 2; ++round) {
    for (u32 i = 0; i < 64; i += 4) Write32(BUFFER + i, round);  // HERE
    NocWrite(noc, BUFFER, NocXy(2, 2), BUFFER + 64 * round, 64);
#ifdef MENDED
    NocWriteBarrier(noc);
#endif
  }
  NocWriteBarrier(noc);
}
KERNEL(SendTwice)
