// A helper records its own moves where the caller's lie.
#include "launch.h"
#include "tile_math.h"
static void record_moves(void) {
  ReplayRecord(16, 3);
  TTI(MOVA2D, .instr_mod = 2, .addr_mode = 2);
  TTI(MOVA2D, .instr_mod = 2, .addr_mode = 2);
  TTI(SETRWC, .clear_ab_vld = 3, .bit_mask = 3);
  ReplayRecorded();
}
static void scale_init(void) {
#ifdef MENDED
  ReplayRecord(0, 2);
#else
  ReplayRecord(16, 2);  // HERE
#endif
  TTI(SFPLOADI, .lreg_ind = 1, .instr_mod0 = 0, .imm16 = 0x3F80);
  TTI(SFPNOP);
  ReplayRecorded();
}
static void math_main(void) {
  MathStart();
  SET_ADDR_MOD(2, 8 | 8 << ADDR_MOD_AB_SEC0_SrcBIncr_LOW, 8);
  record_moves();
  scale_init();
  for (u32 tile = 0; tile < Arg(0); ++tile) {
    MathAcquireDst();
    for (u32 face = 0; face < TILE_FACES; ++face) {
      TTI(STALLWAIT, .stall_res = STALL_MATH,
          .wait_res = WAIT_MATH | WAIT_SRCA_VLD | WAIT_SRCB_VLD);
      TTI(REPLAY, .start_idx = 16, .len = 3);
    }
    TTI(SETRWC, .bit_mask = 4);
    MathReleaseDst();
  }
}
KERNEL(math_main)
