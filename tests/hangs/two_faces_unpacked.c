// The unpacker was told of tiles of two faces, math and packer of four.
#include "launch.h"
#include "tile_unpack.h"
static void unpack_main(void) {
  struct unpacker unpacker = UnpackInit();
#ifndef MENDED
  UnpackMop(2);
#endif
  for (u32 t = Arg(0); t != 0; --t) UnpackTile(&unpacker, 0);
}
KERNEL(unpack_main)
