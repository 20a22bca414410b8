// TRISC2. Arguments: rows of tiles, tiles in a row.
#include "launch.h"
#include "softmax.h"
#include "tile_pack.h"

static void PackSoftmax(void) {
  const u32 width = Arg(1);
  struct packer packer = PackInit();
  for (u32 rows = Arg(0); rows != 0; --rows) {
    PackTile(&packer, CB_LARGEST);
    PackTiles(&packer, CB_EXPONENTIALS, width);
    PackTile(&packer, CB_RECIPROCALS);
    PackTiles(&packer, CB_OUTPUT, width);
  }
}

KERNEL(PackSoftmax)
