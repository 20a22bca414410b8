// TRISC1: puts its tile behind the end of the half of Dst that the packer looks at.
#include "launch.h"
#include "tile_math.h"

#ifdef MENDED
enum { TILE = 0 };
#else
enum { TILE = 8 };
#endif

static void CopyAll(void) {
  MathStart();
  CopyInit();
  for (u32 tiles = Arg(0); tiles != 0; --tiles) {
    MathAcquireDst();
    MathSelectTile(TILE);
    MathCopyTile();  // HERE
    MathReleaseDst();
  }
}
KERNEL(CopyAll)
