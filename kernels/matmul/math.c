// TRISC1: products of tiles. Arguments: number of output tiles, tiles of the inner dimension.
// FIDELITY_PHASES: 1 (LoFi) to 4 (HiFi4).
#include "launch.h"
#include "tile_fpu.h"

static void MultiplyTiles(void) {
  const u32 inner = Arg(1);
  MathStart();
  MatmulInit(FIDELITY_PHASES);
  for (u32 tiles = Arg(0); tiles != 0; --tiles) {
    MathAcquireDst();
    for (u32 k = 0; k < inner; ++k) TTI(MOP, .mop_type = 1);
    MathReleaseDst();
  }
}

KERNEL(MultiplyTiles)
