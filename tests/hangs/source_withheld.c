// The unpack thread fills SrcA three times; the math thread releases it once.
#include "launch.h"
#include "tensix.h"

#if GUEST_CORE == CORE_TRISC0
static void Fill(void) {
  for (u32 i = 0; i < 3; ++i) {
    TTI(UNPACR_NOP, .unpacker_select = 0, .set_dvalid = 1, .unpack_pop = 1);  // HERE
  }
}
KERNEL(Fill)
#elif GUEST_CORE == CORE_TRISC1
static void Use(void) {
#ifdef MENDED
  for (u32 i = 0; i < 3; ++i) {
    TTI(STALLWAIT, .stall_res = STALL_MATH, .wait_res = 0x80);
    TTI(CLEARDVALID, .cleardvalid = 1);
  }
#endif
}
KERNEL(Use)
#endif
