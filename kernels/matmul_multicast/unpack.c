// TRISC0: pairs of tiles for products; the right operand lies whole in the one page of circular
// buffer 1. Arguments: rows of output tiles, tiles of the inner dimension, columns of tiles.
#include "launch.h"
#include "tile_unpack_pair.h"

enum { TILE_BYTES = 2048 };

static void UnpackOperands(void) {
  struct unpacker unpacker = UnpackPairInit(UNPACK_WHOLE_TILES);
  const u32 inner = Arg(1);
  const u32 columns = Arg(2);
  const u32 operand = LocalCb(1)->fifo_rd_ptr;  // in units of 16 bytes
  for (u32 rows = Arg(0); rows != 0; --rows) {
    for (u32 column = 0; column < columns; ++column) {
      for (u32 k = 0; k < inner; ++k) {
        LocalCb(1)->fifo_rd_ptr = operand + (k * columns + column) * (TILE_BYTES / 16);
        UnpackPair(&unpacker, 1, 0, KEEP_SRCA);
      }
    }
  }
  LocalCb(1)->fifo_rd_ptr = operand;
}

KERNEL(UnpackOperands)
