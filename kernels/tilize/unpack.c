// TRISC0: tiles out of blocks of 32 matrix rows, which are pages of circular buffer 0. Arguments:
// number of blocks, tiles in a block.
#include "launch.h"
#include "tile_unpack_tilize.h"

enum { TILE_ROW_BYTES = 64 };

static void UnpackRowMajor(void) {
  const u32 width = Arg(1);
  struct unpacker unpacker = UnpackTilizeInit(width * TILE_ROW_BYTES);
  for (u32 blocks = Arg(0); blocks != 0; --blocks) {
    UnpackWaitPages(0, 1);
    for (u32 tile = 0; tile < width; ++tile) {
      UnpackAt(&unpacker, UnpackPageAddress(0, 0) + tile * TILE_ROW_BYTES / 16);
    }
    UnpackPopPages(0, 1);
  }
}

KERNEL(UnpackRowMajor)
