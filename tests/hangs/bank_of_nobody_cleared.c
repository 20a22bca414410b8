// SrcA is to be given back to the unpacker, and the mask names neither SrcA nor SrcB.
#include "launch.h"
#include "tensix.h"

#if GUEST_CORE == CORE_TRISC0
static void Fill(void) {
  TTI(UNPACR_NOP, .unpacker_select = 0, .set_dvalid = 1, .unpack_pop = 1);
}
KERNEL(Fill)
#elif GUEST_CORE == CORE_TRISC1
enum { SRC_A = 1, SHIFTED = SRC_A << 4, BOTH = 3, SRC_A_VALID = 0x80 };

static void GiveBack(void) {
  TTI(STALLWAIT, .stall_res = STALL_MATH, .wait_res = SRC_A_VALID);
#ifdef MENDED
  TTI(CLEARDVALID, .cleardvalid = SHIFTED >> 4);
#else
  TTI(CLEARDVALID, .cleardvalid = SHIFTED & BOTH);  // HERE
#endif
}
KERNEL(GiveBack)
#endif
