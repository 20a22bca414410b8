// The math thread moves a row from SrcA, which nobody has filled.
#include "launch.h"
#include "tensix.h"

#if GUEST_CORE == CORE_TRISC0
static void Fill(void) {
#ifdef MENDED
  TTI(UNPACR_NOP, .unpacker_select = 0, .set_dvalid = 1, .unpack_pop = 1);
  TTI(UNPACR_NOP, .unpacker_select = 1, .set_dvalid = 1, .unpack_pop = 1);
#endif
}
KERNEL(Fill)
#elif GUEST_CORE == CORE_TRISC1
static void Use(void) {
  TTI(MOVA2D, .instr_mod = 2, .addr_mode = 7);  // HERE
  TTI(CLEARDVALID, .cleardvalid = 1);
}
KERNEL(Use)
#endif
