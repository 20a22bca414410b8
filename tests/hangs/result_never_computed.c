// The vector unit stores an LReg that was never loaded.
#include "launch.h"
#include "tensix.h"

static void Compute(void) {
  TTI(ZEROACC, .clear_mode = 3, .addr_mode = 3);
#ifdef MENDED
  TTI(SFPLOADI, .lreg_ind = 1, .instr_mod0 = 0, .imm16 = 0x3F80);
#endif
  TTI(SFPSTORE, .lreg_ind = 1, .instr_mod0 = 2, .sfpu_addr_mode = 7, .dest_reg_addr = 0);  // HERE
}
KERNEL(Compute)
