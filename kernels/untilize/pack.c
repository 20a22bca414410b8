// TRISC2: blocks of tiles as 32 rows of a matrix. Arguments: number of blocks, tiles in a block.
#include "launch.h"
#include "tile_pack_tilize.h"

static void PackRowMajor(void) {
  struct packer packer = PackUntilizeInit(Arg(1));
  for (u32 blocks = Arg(0); blocks != 0; --blocks) PackUntilizedBlock(&packer, 16);
}

KERNEL(PackRowMajor)
