// TRISC0 waits for a free context in a way of its own, and hands over a tile that nobody takes.
#include "launch.h"
#include "tile_unpack.h"

static void AwaitContext(void) {
  while (SemaphoreRead(SEM_UNPACK_SYNC) >> 1 != 0) {
  }
}

static void UnpackTiles(void) {
  struct unpacker unpacker = UnpackInit();
#ifdef MENDED
  const u32 tiles = Arg(0);
#else
  const u32 tiles = Arg(0) + 3;
#endif
  for (u32 tile = 0; tile < tiles; ++tile) {
    if (tile < Arg(0)) UnpackWaitPages(0, 1);
    AwaitContext();
    UnpackAt(&unpacker, UnpackPageAddress(0, 0));  // HERE
    if (tile < Arg(0)) UnpackPopPages(0, 1);
  }
}
KERNEL(UnpackTiles)
