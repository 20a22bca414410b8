// NCRISC: reads the tiles of a matrix column by column into circular buffer 0. Arguments: address,
// first tile and number of tiles of the transposed matrix, its rows and columns in tiles.
#include "cb.h"
#include "launch.h"
#include "noc.h"

static void ReadByColumns(void) {
  const u32 noc = MyNoc();
  const struct interleaved_dram tensor = InterleavedDram(noc, Arg(0), CbPageSize(0));
  const u32 end = Arg(1) + Arg(2);
  const u32 rows = Arg(3);
  const u32 columns = Arg(4);
  for (u32 tile = Arg(1); tile < end; ++tile) {
    const u32 page = tile % columns * rows + tile / columns;
    CbReserveBack(0, 1);
    NocRead(noc, DramPageXy(&tensor, page), DramPageAddress(&tensor, page), CbWritePointer(0),
            CbPageSize(0));
    NocReadBarrier(noc);
    CbPushBack(0, 1);
  }
}

KERNEL(ReadByColumns)
