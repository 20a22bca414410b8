// A multicast over a gap in the grid: one acknowledgement too many is expected.
#include "launch.h"
#include "noc.h"

#ifdef MENDED
enum { RECEIVERS = 2 };
#else
enum { RECEIVERS = 3 };
#endif

static void Broadcast(void) {
  const u32 noc = MyNoc();
  NocWriteMulticast(noc, 0x100000, NocRectangle(noc, 1, 2, 3, 2), 0x100000, 64, RECEIVERS);
  NocWriteBarrier(noc);  // HERE
}
KERNEL(Broadcast)
