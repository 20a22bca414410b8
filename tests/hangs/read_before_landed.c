// The data of a read is used before it has landed.
#include "launch.h"
#include "noc.h"

static void Fetch(void) {
  const u32 noc = MyNoc();
  NocRead(noc, NocXy(2, 2), 0x100000, 0x100000, 64);
#ifdef MENDED
  NocReadBarrier(noc);
#endif
  Write32(0x110000, Read32(0x100000));  // HERE
  NocReadBarrier(noc);
}
KERNEL(Fetch)
