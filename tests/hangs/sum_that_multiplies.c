// A sum of two LRegs: SFPADD computes VA * VB + VC, and both addends are given as the factors.
#include "launch.h"
#include "tensix.h"

static void AddTwo(void) {
  TTI(SFPLOADI, .lreg_ind = 0, .instr_mod0 = 0, .imm16 = 0x4000);
  TTI(SFPLOADI, .lreg_ind = 1, .instr_mod0 = 0, .imm16 = 0x4040);
#ifdef MENDED
  TTI(SFPADD, .lreg_src_a = 10, .lreg_src_b = 0, .lreg_src_c = 1, .lreg_dest = 2);
  TTI(SFPMUL, .lreg_src_a = 0, .lreg_src_b = 1, .lreg_src_c = 9, .lreg_dest = 3);
#else
  TTI(SFPADD, .lreg_src_a = 0, .lreg_src_b = 1, .lreg_src_c = 9, .lreg_dest = 2);  // HERE
#endif
  TensixSync();
}
KERNEL(AddTwo)
