// TRISC1: hands each half of Dst over twice.
#include "launch.h"
#include "tile_math.h"

static void CopyAll(void) {
  MathStart();
  CopyInit();
  for (u32 tiles = Arg(0); tiles != 0; --tiles) {
    MathAcquireDst();  // HERE
    MathCopyTile();
    MathReleaseDst();
#ifndef MENDED
    MathReleaseDst();
#endif
  }
}
KERNEL(CopyAll)
