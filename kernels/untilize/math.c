// TRISC1: copies blocks of tiles side by side into a half of Dst. Arguments: number of blocks,
// tiles in a block.
#include "launch.h"
#include "tile_math.h"

static void CopyBlocks(void) {
  const u32 width = Arg(1);
  MathRemapDst(1);
  MathStart();
  CopyInit();
  for (u32 blocks = Arg(0); blocks != 0; --blocks) {
    MathAcquireDst();
    for (u32 tile = 0; tile < width; ++tile) {
      MathSelectTile(tile);
      MathCopyTile();
    }
    MathReleaseDst();
  }
  MathRemapDst(0);
}

KERNEL(CopyBlocks)
