// TRISC0: unpacks tiles without waiting for them.
#include "launch.h"
#include "tile_unpack.h"

static void UnpackAll(void) {
  struct unpacker unpacker = UnpackInit();
  for (u32 tiles = Arg(0); tiles != 0; --tiles) {
#ifdef MENDED
    UnpackWaitPages(0, 1);
#endif
    UnpackAt(&unpacker, UnpackPageAddress(0, 0));
    UnpackPopPages(0, 1);  // HERE
  }
}
KERNEL(UnpackAll)
