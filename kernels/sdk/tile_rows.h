// TRISC1: steps of kernels that work on rows of tiles, a tile of Dst at a time. What the steps make
// goes to the packer in order.
#pragma once
#include "tile_reduce.h"
#include "tile_sfpu_math.h"

// Pools a row of tiles into a column, for which the statements are run before it goes on.
#define POOL_ROW(pool, width, ...)                                                  \
  do {                                                                              \
    ReduceInit();                                                                   \
    MathAcquireDst();                                                               \
    for (u32 i = 1; i <= (width); ++i) ReduceTile(pool, REDUCE_ROWS, i == (width)); \
    ReduceFinish(pool, REDUCE_ROWS);                                                \
    __VA_ARGS__;                                                                    \
    MathReleaseDst();                                                               \
  } while (0)

// An element-wise operation on every tile of a row, for each of which the statements are run.
#define COMBINE_ROW(name, phases, broadcast, width, ...) \
  do {                                                   \
    BINARY_INIT(name, phases, broadcast);                \
    for (u32 i = 0; i < (width); ++i) {                  \
      MathAcquireDst();                                  \
      BinaryTile(broadcast);                             \
      __VA_ARGS__;                                       \
      MathReleaseDst();                                  \
    }                                                    \
  } while (0)
