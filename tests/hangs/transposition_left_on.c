// The transposed tiles come first, none of them in this run, and leave the unpacker's mode to the
// others.
#include "launch.h"
#include "tile_unpack.h"

static void UnpackTransposed(struct unpacker* unpacker, u32 tiles) {
  UnpackTransposeFaces(1);  // HERE
  for (; tiles != 0; --tiles) UnpackTile(unpacker, 0);
#ifdef MENDED
  UnpackTransposeFaces(0);
#endif
}

static void Unpack(void) {
  struct unpacker unpacker = UnpackInit();
  UnpackTransposed(&unpacker, Arg(1));
  for (u32 tiles = Arg(0); tiles != 0; --tiles) UnpackTile(&unpacker, 0);
}
KERNEL(Unpack)
