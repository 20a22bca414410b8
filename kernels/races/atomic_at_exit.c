// A kernel returns while an atomic is under way, whose answer changes the counters that the next
// kernel starts from (tenstorrent/tt-metal #40595, #40877, #16171; ORDERING.md, row 54).
#include "races.h"
#include "noc.h"

static void AddAndLeave(void) {
  const u32 noc = MyNoc();
  Report(0x600D000D);
  NocAtomicAdd(noc, NocXy(MyX(noc), MyY(noc)), ScratchAddress(0), 1);
  if (MENDED) NocAtomicBarrier(noc);
}
KERNEL(AddAndLeave)
