// TRISC2: packs tiles into circular buffer 16. Argument: number of tiles.
#include "launch.h"
#include "tile_pack.h"

static void PackTiles(void) {
  struct packer packer = PackInit();
  for (u32 tiles = Arg(0); tiles != 0; --tiles) PackTile(&packer, 16);
}

KERNEL(PackTiles)
