// The packer packs two of the four faces of each tile.
#include "launch.h"
#include "tile_pack.h"
#ifdef MENDED
enum { NUM_FACES = 4 };
#else
enum { NUM_FACES = 2 };
#endif
static void pack_main(void) {
  struct packer packer = PackInit();
  ConfigureMop((struct mop){.outer = NUM_FACES,
                            .inner = 4,
                            .start = OP(NOP),
                            .end = OP(NOP),
                            .loop = OP(PACR, .addr_mode = 0),
                            .last_inner = OP(PACR, .addr_mode = 2),
                            .last_outer = OP(PACR, .addr_mode = 1, .last = 1)});
  PackTiles(&packer, 16, Arg(0));  // HERE
}
KERNEL(pack_main)
