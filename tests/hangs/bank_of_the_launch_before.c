// Hands over a bank more than the math kernel takes, which the next launch finds.
#include "launch.h"
#include "tile_unpack.h"
static void unpack_main(void) {
  struct unpacker unpacker = UnpackInit();
  for (u32 t = Arg(0); t != 0; --t) UnpackTile(&unpacker, 0);
#ifndef MENDED
  TTI(UNPACR_NOP, .unpacker_select = 0, .set_dvalid = 1, .unpack_pop = 1);
  TTI(UNPACR_NOP, .unpacker_select = 1, .set_dvalid = 1, .unpack_pop = 1);
#endif
}
KERNEL(unpack_main)
