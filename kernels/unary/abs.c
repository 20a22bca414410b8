// TRISC1: absolute values. Argument: number of tiles.
#include "launch.h"
#include "tile_sfpu.h"

enum { SFPABS_FLOAT = 1 };

static void Abs(void) {
  MathStart();
  CopyInit();
  for (u32 tiles = Arg(0); tiles != 0; --tiles) {
    MathAcquireDst();
    MathCopyTile();
    SFPU_TILE(TTI(SFPABS, .lreg_c = SFPU_L0, .lreg_dest = SFPU_L0, .instr_mod1 = SFPABS_FLOAT));
    MathReleaseDst();
  }
}

KERNEL(Abs)
