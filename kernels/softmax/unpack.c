// TRISC0. Arguments: rows of tiles, tiles in a row.
#include "launch.h"
#include "softmax.h"
#include "tile_unpack_rows.h"

static void UnpackSoftmax(void) {
  const u32 width = Arg(1);
  struct unpacker unpacker = UnpackPairInit(UNPACK_FACES);
  for (u32 rows = Arg(0); rows != 0; --rows) {
    UnpackRowToPool(&unpacker, CB_INPUT, CB_WEIGHTS, width);
    UnpackRowWithColumn(&unpacker, CB_INPUT, CB_LARGEST, width);
    UnpackPopPages(CB_INPUT, width);
    UnpackRowToPool(&unpacker, CB_EXPONENTIALS, CB_WEIGHTS, width);
    UnpackRowWithColumn(&unpacker, CB_EXPONENTIALS, CB_RECIPROCALS, width);
    UnpackPopPages(CB_EXPONENTIALS, width);
  }
}

KERNEL(UnpackSoftmax)
