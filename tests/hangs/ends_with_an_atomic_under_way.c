// The kernel ends without waiting for its atomic.
#include "launch.h"
#include "noc.h"

static void Signal(void) {
  const u32 noc = MyNoc();
  NocAtomicAdd(noc, NocXy(2, 2), 0x100000, 1);  // HERE
#ifdef MENDED
  NocAtomicBarrier(noc);
#endif
}
KERNEL(Signal)
