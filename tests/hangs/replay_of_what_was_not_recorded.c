// The math kernel records eight moves from entry 16 on and replays from entry 0.
#include "launch.h"
#include "tile_math.h"
#ifdef MENDED
enum { REPLAYED_FROM = 16 };
#else
enum { REPLAYED_FROM = 0 };
#endif

static void copy_face(void) {
  TTI(STALLWAIT, .stall_res = STALL_MATH, .wait_res = WAIT_MATH | WAIT_SRCA_VLD | WAIT_SRCB_VLD);
  TTI(REPLAY, .start_idx = REPLAYED_FROM, .len = 3);  // HERE
}

static void math_main(void) {
  MathStart();
  SET_ADDR_MOD(2, 8 | 8 << ADDR_MOD_AB_SEC0_SrcBIncr_LOW, 8);
  ReplayRecord(16, 3);
  TTI(MOVA2D, .instr_mod = 2, .addr_mode = 2);
  TTI(MOVA2D, .instr_mod = 2, .addr_mode = 2);
  TTI(SETRWC, .clear_ab_vld = 3, .bit_mask = 3);
  ReplayRecorded();
  for (u32 tile = 0; tile < Arg(0); ++tile) {
    MathAcquireDst();
    for (u32 face = 0; face < TILE_FACES; ++face) copy_face();
    TTI(SETRWC, .bit_mask = 4);
    MathReleaseDst();
  }
}
KERNEL(math_main)
