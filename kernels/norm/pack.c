// TRISC2. Arguments: rows of tiles, tiles in a row.
#include "launch.h"
#include "norm.h"
#include "tile_pack.h"

static void PackNorm(void) {
  const u32 width = Arg(1);
  struct packer packer = PackInit();
  for (u32 rows = Arg(0); rows != 0; --rows) {
    if (CENTRED) {
      PackTile(&packer, CB_MEANS);
      PackTiles(&packer, CB_CENTRED, width);
    }
    PackTiles(&packer, CB_SQUARES, width);
    PackTile(&packer, CB_ROOTS);
    PackTiles(&packer, CB_NORMAL, width);
    PackTiles(&packer, CB_SCALED, width);
    if (CENTRED) PackTiles(&packer, CB_OUTPUT, width);
  }
}

KERNEL(PackNorm)
