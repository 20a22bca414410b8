// Each face is handed over by its unpack, and at the end of the tile SrcA once more by SETDVALID.
#include "launch.h"
#include "tile_unpack.h"

static void unpack_main(void) {
  struct unpacker unpacker = UnpackInit();
  for (u32 tiles = Arg(0); tiles != 0; --tiles) {
    UnpackTile(&unpacker, 0);
#ifndef MENDED
    TTI(SETDVALID, .setvalid = 1);  // HERE
#endif
  }
}
KERNEL(unpack_main)
