// Copies tiles by an address mode that was never set.
#include "launch.h"
#include "tile_math.h"
static void copy_init(void) {
#ifdef MENDED
  SET_ADDR_MOD(2, 8 | 8 << ADDR_MOD_AB_SEC0_SrcBIncr_LOW, 8);
#endif
  const u32 move = OP(MOVA2D, .instr_mod = 2, .addr_mode = ADDR_MOD_COPY);
  ConfigureMop((struct mop){
      .outer = 4,
      .inner = 2,
      .start = OP(STALLWAIT, .stall_res = STALL_MATH, .wait_res = WAIT_MATH | WAIT_SRCB_VLD),
      .end = OP(SETRWC, .clear_ab_vld = 3, .bit_mask = 3),
      .loop = move,
      .last_inner = move,
      .last_outer = move});
}
static void math_main(void) {
  MathStart();
  copy_init();
  for (u32 t = Arg(0); t != 0; --t) {
    MathAcquireDst();
    MathCopyTile();  // HERE
    MathReleaseDst();
  }
}
KERNEL(math_main)
