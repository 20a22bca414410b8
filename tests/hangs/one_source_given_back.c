// TRISC1: sums of two tiles, face by face; gives back SrcA after each face and SrcB never.
#include "launch.h"
#include "tile_fpu.h"
static void math_main(void) {
  MathStart();
  SET_ADDR_MOD(0, 8 | 8 * SRCB_ONE, 8);
#ifdef MENDED
  const u32 release = CLEAR_AB;
#else
  const u32 release = CLEAR_A;
#endif
  ConfigureMop((struct mop){.outer = TILE_FACES,
                            .inner = 2,
                            .start = OP(NOP),
                            .end = OP(SETRWC, .clear_ab_vld = release, .bit_mask = RWC_A | RWC_B),
                            .loop = OP(ELWADD, .addr_mode = 0),
                            .last_inner = OP(ELWADD, .addr_mode = 0),
                            .last_outer = OP(ELWADD, .addr_mode = 0)});
  for (u32 tiles = Arg(0); tiles != 0; --tiles) {
    MathAcquireDst();
    TTI(MOP, .mop_type = 1);  // HERE
    TTI(SETRWC, .bit_mask = RWC_ALL);
    MathReleaseDst();
  }
}
KERNEL(math_main)
