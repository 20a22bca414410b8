// TRISC1: moves tiles with a MOP that was never configured.
#include "launch.h"
#include "tile_math.h"

static void CopyAll(void) {
  MathStart();
#ifdef MENDED
  CopyInit();
#endif
  for (u32 tiles = Arg(0); tiles != 0; --tiles) {
    MathAcquireDst();
    MathCopyTile();
    MathReleaseDst();
  }
}
KERNEL(CopyAll)
