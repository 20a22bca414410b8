// Reads on one NoC and waits for the answer on the other.
#include "launch.h"
#include "noc.h"

static void Fetch(void) {
  const u32 noc = MyNoc();
  NocRead(noc, NocXy(2, 2), 0x100000, 0x100000, 64);
#ifdef MENDED
  NocReadBarrier(noc);
#else
  ++LDM32(LDM_NOC_READS_NUM_ISSUED + 4 * (1 - noc));
  NocReadBarrier(1 - noc);  // HERE
#endif
}
KERNEL(Fetch)
