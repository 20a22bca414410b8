// TRISC0. Arguments: rows of tiles, tiles in a row.
#include "launch.h"
#include "softmax.h"
#include "tile_unpack_pair.h"

// A row of tiles, transposed, with the weights.
static void UnpackToPool(struct unpacker* unpacker, u32 cb, u32 width) {
  UnpackTransposeFaces(1);
  UnpackPairMode(UNPACK_FACES);
  for (u32 i = 0; i < width; ++i) UnpackPairAt(unpacker, cb, i, CB_WEIGHTS, 0);
}

// A row of tiles with a column that came of it; both are done with then.
static void UnpackWithColumn(struct unpacker* unpacker, u32 cb, u32 column, u32 width) {
  UnpackTransposeFaces(0);
  UnpackPairMode(UNPACK_COLUMN_B);
  for (u32 i = 0; i < width; ++i) UnpackPairAt(unpacker, cb, i, column, 0);
  UnpackPopPages(cb, width);
  UnpackPopPages(column, 1);
}

static void UnpackSoftmax(void) {
  const u32 width = Arg(1);
  struct unpacker unpacker = UnpackPairInit(UNPACK_FACES);
  for (u32 rows = Arg(0); rows != 0; --rows) {
    UnpackToPool(&unpacker, CB_INPUT, width);
    UnpackWithColumn(&unpacker, CB_INPUT, CB_LARGEST, width);
    UnpackToPool(&unpacker, CB_EXPONENTIALS, width);
    UnpackWithColumn(&unpacker, CB_EXPONENTIALS, CB_RECIPROCALS, width);
  }
}

KERNEL(UnpackSoftmax)
