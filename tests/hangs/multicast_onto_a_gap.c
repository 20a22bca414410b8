// The rectangle of a multicast ends in a column that the board has lost.
#include "launch.h"
#include "noc.h"

#ifdef MENDED
enum { LAST = 14 };
#else
enum { LAST = 16 };
#endif

static void Broadcast(void) {
  const u32 noc = MyNoc();
  Write32(0x100000, 1);
  NocWriteMulticast(noc, 0x100000, NocRectangle(noc, 1, 2, LAST, 2), 0x100000, 64, 11);  // HERE
  NocWriteBarrier(noc);
}
KERNEL(Broadcast)
