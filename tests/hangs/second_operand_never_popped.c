// The unpack kernel gives back the pages of its first operand only.
#include "launch.h"
#include "tile_unpack_pair.h"

static void unpack_main(void) {
  struct unpacker unpacker = UnpackPairInit(UNPACK_FACES);
  for (u32 tiles = Arg(0); tiles != 0; --tiles) {
#ifdef MENDED
    UnpackPairAt(&unpacker, 0, 0, 1, 0);
    UnpackPopPages(0, 1);
    UnpackPopPages(1, 1);
#else
    UnpackPairAt(&unpacker, 0, 0, 1, 0);
    UnpackPopPages(0, 1);
#endif
  }
}
KERNEL(unpack_main)
