// TRISC1: pools tiles. Arguments: number of output tiles, input tiles of each. POOL: POOL_SUM or
// POOL_LARGEST; REDUCE: REDUCE_COLUMNS, REDUCE_ROWS or REDUCE_ALL.
#include "launch.h"
#include "tile_reduce.h"

static void Reduce(void) {
  const u32 inputs = Arg(1);
  MathStart();
  ReduceInit();
  for (u32 tiles = Arg(0); tiles != 0; --tiles) {
    MathAcquireDst();
    for (u32 input = 1; input <= inputs; ++input) ReduceTile(POOL, REDUCE, input == inputs);
    ReduceFinish(POOL, REDUCE);
    MathReleaseDst();
  }
}

KERNEL(Reduce)
