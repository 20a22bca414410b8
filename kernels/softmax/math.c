// TRISC1. Arguments: rows of tiles, tiles in a row.
#include "launch.h"
#include "tile_rows.h"

static void Softmax(void) {
  const u32 width = Arg(1);
  MathStart();
  SfpuExpInit();
  for (u32 rows = Arg(0); rows != 0; --rows) {
    POOL_ROW(POOL_LARGEST, width, );
    COMBINE_ROW(ELWSUB, 1, BROADCAST_COLUMN, width, SFPU_TILE(SfpuExp()));
    POOL_ROW(POOL_SUM, width, SFPU_COLUMN(SfpuReciprocal()));
    COMBINE_ROW(ELWMUL, 4, BROADCAST_COLUMN, width, );
  }
}

KERNEL(Softmax)
