// A multicast that leaves its sender out is counted as if it were among the receivers.
#include "launch.h"
#include "noc.h"

enum { DATA = 0x90000 };

#ifdef MENDED
enum { TARGETS = 2 };
#else
enum { TARGETS = 3 };
#endif

static void Share(void) {
  const u32 noc = MyNoc();
  if (MyX(noc) != 1) return;
  Write32(DATA, 7);
  Fence();
  NocWriteMulticast(noc, DATA, NocRectangle(noc, 1, 2, 3, 2), DATA + 64, 64, TARGETS);
  NocWriteBarrier(noc);  // HERE
}
KERNEL(Share)
