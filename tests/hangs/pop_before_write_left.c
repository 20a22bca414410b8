// The writer gives its page back to the producer before it can have left.
#include "dram_pages.h"
#include "launch.h"

#if GUEST_CORE == CORE_NCRISC
static void FillPage(void) {
  CbReserveBack(0, 1);
  for (u32 i = 0; i < 2048; i += 4) Write32(CbWritePointer(0) + i, 0);
  CbPushBack(0, 1);
}
KERNEL(FillPage)
#else
static void DrainPage(void) {
  const struct interleaved_dram tensor = InterleavedDram(MyNoc(), Arg(0), CbPageSize(0));
  CbWaitFront(0, 1);
  NocWrite(tensor.noc, CbReadPointer(0), DramPageXy(&tensor, 0), DramPageAddress(&tensor, 0),
           CbPageSize(0));
#ifdef MENDED
  NocWriteBarrier(tensor.noc);
#endif
  CbPopFront(0, 1);  // HERE
  NocWriteBarrier(tensor.noc);
}
KERNEL(DrainPage)
#endif
