// TRISC0: hands SrcA over and forgets SrcB, which the matrix unit waits for as well.
#include "launch.h"
#include "tile_unpack.h"

static void UnpackAll(void) {
  struct unpacker unpacker = UnpackInit();
#ifndef MENDED
  const u32 srca = OP(UNPACR, .unpack_block_selection = 0, .addr_mode = 1, .ovrd_thread_id = 1,
                      .set_dat_valid = 1, .last = 1);
  ConfigureMop((struct mop){.outer = TILE_FACES,
                            .inner = 1,
                            .start = OP(NOP),
                            .end = OP(NOP),
                            .loop = srca,
                            .last_inner = srca,
                            .last_outer = srca});
#endif
  for (u32 tiles = Arg(0); tiles != 0; --tiles) UnpackTile(&unpacker, 0);
}
KERNEL(UnpackAll)
