// TRISC2: packs results into circular buffer 16, zeroes around them. Argument: number of tiles.
// REDUCE: REDUCE_COLUMNS, REDUCE_ROWS or REDUCE_ALL.
#include "launch.h"
#include "tile_pack_reduce.h"

static void PackResults(void) {
  struct packer packer = PackInit();
  PackMaskReduction(REDUCE);
  PackTiles(&packer, 16, Arg(0));
}

KERNEL(PackResults)
