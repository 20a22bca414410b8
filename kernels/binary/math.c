// TRISC1: an element-wise operation of two tiles. Argument: number of tiles. BINARY: ELWADD, ELWSUB
// or ELWMUL; FIDELITY_PHASES: 1, for ELWMUL up to 4.
#include "launch.h"
#include "tile_fpu.h"

static void CombineTiles(void) {
  MathStart();
  BINARY_INIT(BINARY, FIDELITY_PHASES, BROADCAST_NONE);
  for (u32 tiles = Arg(0); tiles != 0; --tiles) {
    MathAcquireDst();
    BinaryTile(BROADCAST_NONE);
    MathReleaseDst();
  }
}

KERNEL(CombineTiles)
