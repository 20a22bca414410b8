// The launch before has packed tiles of fp32, and this one leaves the strides as they were.
#include "launch.h"
#include "tile_pack.h"
static void pack_main(void) {
#ifdef MENDED
  PackConfigureStrides(1);
#endif
  PackConfigureMop();
  struct packer packer = PackStart();
  PackTiles(&packer, 16, Arg(0));  // HERE
}
KERNEL(pack_main)
