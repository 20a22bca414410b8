// Four words of configuration are written at once, from registers that do not begin at a multiple
// of four: the chip takes the group that the first of them lies in.
#include "launch.h"
#include "tensix.h"

enum { FIRST = 6, OFFSETS = 180 };

static void Configure(void) {
  for (u32 i = 0; i < 16; ++i) {
    Write32(TENSIX_GPR_BASE + 4 * i, 64 * i);
    ReadBack(TENSIX_GPR_BASE + 4 * i);
  }
#ifdef MENDED
  TTI(WRCFG, .gpr_address = FIRST & ~3, .wr128b = 1, .cfg_reg = OFFSETS);
#else
  TTI(WRCFG, .gpr_address = FIRST, .wr128b = 1, .cfg_reg = OFFSETS);  // HERE
#endif
  TTI(STALLWAIT, .stall_res = STALL_SYNC, .wait_res = WAIT_THCON);
}
KERNEL(Configure)
