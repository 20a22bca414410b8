// TRISC0: takes tiles in pairs; there are seven.
#include "launch.h"
#include "tile_unpack.h"

static void UnpackPairs(void) {
  struct unpacker unpacker = UnpackInit();
  for (u32 tiles = 0; tiles < Arg(0); tiles += 2) {
    UnpackWaitPages(0, 2);  // HERE
    UnpackAt(&unpacker, UnpackPageAddress(0, 0));
    UnpackAt(&unpacker, UnpackPageAddress(0, 1));
    UnpackPopPages(0, 2);
  }
}
KERNEL(UnpackPairs)
