// TRISC1: adds one to every number of a tile, in the vector unit.
#include "launch.h"
#include "tile_sfpu.h"
#ifdef MENDED
enum { ROWS = TILE_FACES * FACE_ROWS };
#else
enum { ROWS = 32 };
#endif
static void math_main(void) {
  MathStart();
  CopyInit();
  for (u32 tiles = Arg(0); tiles != 0; --tiles) {
    MathAcquireDst();
    MathCopyTile();
    TTI(STALLWAIT, .stall_res = STALL_SFPU, .wait_res = WAIT_MATH);
    for (u32 row = 0; row < ROWS; row += 2) {
      SFPU_FOUR_ROWS(SFPU_L0, row, SfpuAdd(SFPU_L0, SFPU_CONST_ONE, SFPU_L0));  // HERE
    }
    MathReleaseDst();
  }
}
KERNEL(math_main)
