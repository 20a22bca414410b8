// TRISC1 multiplies one pair of tiles more than TRISC0 unpacks, in the second of two places that
// run the same MOP.
#include "launch.h"
#include "tile_fpu.h"

static void Product(u32 from, u32 inner) {
  for (u32 k = from; k < inner; ++k) TTI(MOP, .mop_type = 1);
}

static void MultiplyTiles(void) {
  const u32 inner = Arg(1);
  MathStart();
  MatmulInit(4);
  for (u32 tiles = Arg(0); tiles != 0; --tiles) {
    MathAcquireDst();
    TTI(MOP, .mop_type = 1);  // HERE
#ifdef MENDED
    Product(1, inner);
#else
    Product(0, inner);
#endif
    MathReleaseDst();
  }
}
KERNEL(MultiplyTiles)
