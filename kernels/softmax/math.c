// TRISC1. Arguments: rows of tiles, tiles in a row.
#include "launch.h"
#include "tile_reduce.h"
#include "tile_sfpu_math.h"

static void PoolRow(enum pool pool, u32 width) {
  ReduceInit();
  MathAcquireDst();
  for (u32 i = 1; i <= width; ++i) ReduceTile(pool, REDUCE_ROWS, i == width);
  ReduceFinish(pool, REDUCE_ROWS);
}

static void Softmax(void) {
  const u32 width = Arg(1);
  MathStart();
  SfpuExpInit();
  for (u32 rows = Arg(0); rows != 0; --rows) {
    PoolRow(POOL_LARGEST, width);
    MathReleaseDst();

    BINARY_INIT(ELWSUB, 1, BROADCAST_COLUMN);
    for (u32 i = 0; i < width; ++i) {
      MathAcquireDst();
      BinaryTile(BROADCAST_COLUMN);
      SFPU_TILE(SfpuExp());
      MathReleaseDst();
    }

    PoolRow(POOL_SUM, width);
    SFPU_COLUMN(SfpuReciprocal());
    MathReleaseDst();

    BINARY_INIT(ELWMUL, 4, BROADCAST_COLUMN);
    for (u32 i = 0; i < width; ++i) {
      MathAcquireDst();
      BinaryTile(BROADCAST_COLUMN);
      MathReleaseDst();
    }
  }
}

KERNEL(Softmax)
