// The math kernel fills the halves of Dst in turn and does not ask whether they have been packed.
#include "launch.h"
#include "tile_math.h"

static void math_main(void) {
  MathStart();
  CopyInit();
  for (u32 tile = 0; tile < Arg(0); ++tile) {
#ifdef MENDED
    MathAcquireDst();
#endif
    MathCopyTile();  // HERE
    MathReleaseDst();
  }
}
KERNEL(math_main)
