// TRISC0: unpacks tiles from circular buffer 0 so that SrcA gets them transposed: each face by the
// unpacker, and the faces in the order 0, 2, 1, 3. Argument: number of tiles.
#include "launch.h"
#include "tile_unpack.h"

static void UnpackTransposed(void) {
  struct unpacker unpacker = UnpackInit();
  UnpackTransposeFaces(1);
  ReplayRecord(0, 2);
  TTI(UNPACR_NOP, .unpacker_select = 1, .set_dvalid = 1, .unpack_pop = 1);
  TTI(UNPACR, .unpack_block_selection = 0, .addr_mode = 2, .ovrd_thread_id = 1, .set_dat_valid = 1,
      .last = 1);
  ReplayRecorded();
  const u32 face = OP(REPLAY, .start_idx = 0, .len = 2);
  ConfigureMop(
      (struct mop){.outer = 2,
                   .inner = 2,
                   .start = OP(NOP),
                   .end = OP(SETADCZW, .cnt_set_mask = ADC_UNPACK0, .ch0_z = 1, .bit_mask = 1),
                   .loop = face,
                   .last_inner = face,
                   .last_outer = face});
  for (u32 tiles = Arg(0); tiles != 0; --tiles) UnpackTile(&unpacker, 0);
}

KERNEL(UnpackTransposed)
