// TRISC0: unpacks tiles as bf16, and they are bfp8.
#ifdef MENDED
#define IN_FORMAT FORMAT_BFP8
#define SRC_FORMAT FORMAT_BFP8
#endif
#include "launch.h"
#include "tile_unpack.h"

static void UnpackAll(void) {
  struct unpacker unpacker = UnpackInit();
  for (u32 tiles = Arg(0); tiles != 0; --tiles) UnpackTile(&unpacker, 0);  // HERE
}
KERNEL(UnpackAll)
