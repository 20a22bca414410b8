// NCRISC: reads tiles of 2048 bytes into a buffer whose pages have 1024.
#include "cb.h"
#include "launch.h"
#include "noc.h"

enum { TILE_BYTES = 2048 };

static void ReadAll(void) {
  const struct interleaved_dram tensor = InterleavedDram(MyNoc(), Arg(0), TILE_BYTES);
  for (u32 page = 0; page < Arg(2); ++page) {
    CbReserveBack(0, 1);
    const u32 xy = DramPageXy(&tensor, page);
    const u32 from = DramPageAddress(&tensor, page);
    NocRead(tensor.noc, xy, from, CbWritePointer(0), TILE_BYTES);  // HERE
    NocReadBarrier(tensor.noc);
    CbPushBack(0, 1);
  }
}
KERNEL(ReadAll)
