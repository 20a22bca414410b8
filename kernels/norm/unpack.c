// TRISC0. Arguments: rows of tiles, tiles in a row.
#include "launch.h"
#include "norm.h"
#include "tile_unpack_rows.h"

static void UnpackNorm(void) {
  const u32 width = Arg(1);
  struct unpacker unpacker = UnpackPairInit(UNPACK_FACES);
  for (u32 rows = Arg(0); rows != 0; --rows) {
    if (CENTRED) {
      UnpackRowToPool(&unpacker, CB_INPUT, CB_WEIGHTS, width);
      UnpackRowWithColumn(&unpacker, CB_INPUT, CB_MEANS, width);
      UnpackPopPages(CB_INPUT, width);
    }
    UnpackRows(&unpacker, UNPACK_FACES, CB_CENTRED, CB_CENTRED, width);
    UnpackRowToPool(&unpacker, CB_SQUARES, CB_WEIGHTS, width);
    UnpackPopPages(CB_SQUARES, width);
    UnpackRowWithColumn(&unpacker, CB_CENTRED, CB_ROOTS, width);
    UnpackPopPages(CB_CENTRED, width);
    UnpackRows(&unpacker, UNPACK_ROW_B, CB_NORMAL, CB_SCALE, width);
    UnpackPopPages(CB_NORMAL, width);
    if (CENTRED) {
      UnpackRows(&unpacker, UNPACK_ROW_B, CB_SCALED, CB_SHIFT, width);
      UnpackPopPages(CB_SCALED, width);
    }
  }
}

KERNEL(UnpackNorm)
