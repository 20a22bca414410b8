// TRISC1: bf16 of 16 bits without a sign; the store cuts. Argument: number of tiles.
#include "launch.h"
#define SFPU_LOAD_MODE SFPU_UINT16
#include "tile_sfpu.h"

enum { SFPCAST_TO_FP32 = 0 };

static void Convert(void) {
  MathStart();
  CopyInit();
  for (u32 tiles = Arg(0); tiles != 0; --tiles) {
    MathAcquireDst();
    MathCopyTile();
    SFPU_TILE(
        TTI(SFPCAST, .lreg_src_c = SFPU_L0, .lreg_dest = SFPU_L0, .instr_mod1 = SFPCAST_TO_FP32));
    MathReleaseDst();
  }
}

KERNEL(Convert)
