// TRISC2: tiles whose rows alternate between left and right halves. Argument: number of tiles.
#include "launch.h"
#include "tile_pack_tilize.h"

static void PackTilized(void) {
  struct packer packer = PackTilizeInit();
  PackTiles(&packer, 16, Arg(0));
}

KERNEL(PackTilized)
