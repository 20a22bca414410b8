// TRISC0: rows of tiles for kernels that work on rows of a matrix. The pages of a row are waited
// for as they are unpacked and stay where they are; a column that came of the row goes with its
// use.
#pragma once
#include "tile_unpack_pair.h"

// Every tile of a row with the tile at its place in another row.
GUEST_INLINE void UnpackRows(struct unpacker* unpacker, enum unpack_unit unit, u32 cb_srca,
                             u32 cb_srcb, u32 width) {
  UnpackPairMode(unit);
  for (u32 i = 0; i < width; ++i) UnpackPairAt(unpacker, cb_srca, i, cb_srcb, i);
}

// Every tile of a row, transposed, with the weights: for pooling over rows.
GUEST_INLINE void UnpackRowToPool(struct unpacker* unpacker, u32 cb, u32 cb_weights, u32 width) {
  UnpackTransposeFaces(1);
  UnpackPairMode(UNPACK_FACES);
  for (u32 i = 0; i < width; ++i) UnpackPairAt(unpacker, cb, i, cb_weights, 0);
  UnpackTransposeFaces(0);
}

// Every tile of a row with a column, which is done with then.
GUEST_INLINE void UnpackRowWithColumn(struct unpacker* unpacker, u32 cb, u32 cb_column, u32 width) {
  UnpackPairMode(UNPACK_COLUMN_B);
  for (u32 i = 0; i < width; ++i) UnpackPairAt(unpacker, cb, i, cb_column, 0);
  UnpackPopPages(cb_column, 1);
}
