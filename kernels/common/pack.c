// TRISC2: packs tiles into circular buffer 16. Argument: number of tiles.
#include "launch.h"
#include "tile_pack.h"

static void PackAll(void) {
  struct packer packer = PackInit();
  PackTiles(&packer, 16, Arg(0));
}

KERNEL(PackAll)
