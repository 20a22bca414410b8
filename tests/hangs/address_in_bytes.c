// TRISC0: gives the unpacker an address in bytes, where it counts 16 of them.
#include "launch.h"
#include "tile_unpack.h"

#ifdef MENDED
enum { UNIT = 1 };
#else
enum { UNIT = 16 };
#endif

static void UnpackAll(void) {
  struct unpacker unpacker = UnpackInit();
  for (u32 tiles = Arg(0); tiles != 0; --tiles) {
    UnpackWaitPages(0, 1);
    UnpackAt(&unpacker, UnpackPageAddress(0, 0) * UNIT);
    UnpackPopPages(0, 1);
  }
}
KERNEL(UnpackAll)
