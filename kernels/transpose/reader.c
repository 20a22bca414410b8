// NCRISC: reads the tiles of a matrix column by column into circular buffer 0. Arguments: address,
// first tile and number of tiles of the transposed matrix, its rows and columns in tiles.
#include "dram_pages.h"
#include "launch.h"

static void ReadByColumns(void) {
  const struct interleaved_dram tensor = InterleavedDram(MyNoc(), Arg(0), CbPageSize(0));
  const u32 end = Arg(1) + Arg(2);
  const u32 rows = Arg(3);
  const u32 columns = Arg(4);
  for (u32 tile = Arg(1); tile < end; ++tile) {
    const u32 page = tile % columns * rows + tile / columns;
    CbReadPage(0, &tensor, page);
  }
}

KERNEL(ReadByColumns)
