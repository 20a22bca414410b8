// TRISC1: an element-wise operation of two tiles. Argument: number of tiles. BINARY: ELWADD, ELWSUB
// or ELWMUL; FIDELITY_PHASES: 1, for ELWMUL up to 4.
#include "launch.h"
#include "tile_fpu.h"

#define OPERATION(...) OPERATION_NAMED(BINARY, __VA_ARGS__)
#define OPERATION_NAMED(name, ...) OP(name, __VA_ARGS__)

static void CombineTiles(void) {
  BinaryInit(OPERATION(.addr_mode = 0), OPERATION(.addr_mode = 2),
             OPERATION(.addr_mode = 3, .clear_dvalid = CLEAR_AB), FIDELITY_PHASES);
  for (u32 tiles = Arg(0); tiles != 0; --tiles) {
    MathAcquireDst();
    BinaryTile();
    MathReleaseDst();
  }
}

KERNEL(CombineTiles)
