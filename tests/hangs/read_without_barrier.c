// A page is pushed while the read into it is still under way.
#include "dram_pages.h"
#include "launch.h"

#if GUEST_CORE == CORE_NCRISC
static void FillPage(void) {
  const struct interleaved_dram tensor = InterleavedDram(MyNoc(), Arg(0), CbPageSize(0));
  CbReserveBack(0, 1);
  NocRead(tensor.noc, DramPageXy(&tensor, 0), DramPageAddress(&tensor, 0), CbWritePointer(0),
          CbPageSize(0));
#ifdef MENDED
  NocReadBarrier(tensor.noc);
#endif
  CbPushBack(0, 1);  // HERE
}
KERNEL(FillPage)
#else
static void DrainPage(void) {
  CbWaitFront(0, 1);
  CbPopFront(0, 1);
}
KERNEL(DrainPage)
#endif
