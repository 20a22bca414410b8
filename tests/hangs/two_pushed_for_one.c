// NCRISC fills one page and pushes two.
#include "dram_pages.h"
#include "launch.h"

static void ReadAll(void) {
  const struct interleaved_dram tensor = InterleavedDram(MyNoc(), Arg(0), 2048);
  for (u32 page = 0; page < 8; page += 2) {
    CbReserveBack(0, 2);
    NocRead(tensor.noc, DramPageXy(&tensor, page), DramPageAddress(&tensor, page),
            CbWritePointer(0), 2048);
#ifdef MENDED
    NocRead(tensor.noc, DramPageXy(&tensor, page + 1), DramPageAddress(&tensor, page + 1),
            CbWritePointer(0) + 2048, 2048);
#endif
    NocReadBarrier(tensor.noc);
    CbPushBack(0, 2);
  }
}
KERNEL(ReadAll)
