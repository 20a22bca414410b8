// The corners of a multicast are exchanged, so that it goes the other way round the torus.
#include "launch.h"
#include "noc.h"

#ifdef MENDED
enum { FIRST = 2, LAST = 4 };
#else
enum { FIRST = 4, LAST = 2 };
#endif

static void Send(void) {
  const u32 noc = MyNoc();
  if (MyX(noc) != 1) return;
  NocWriteMulticast(noc, 0x90000, NocRectangle(noc, FIRST, 2, LAST, 2), 0x90000, 64, 3);
  NocWriteBarrier(noc);  // HERE
}
KERNEL(Send)
