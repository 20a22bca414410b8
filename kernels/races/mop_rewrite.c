// TRISC1 changes the template of its MOP while the expander may still be at work on it
// (ORDERING.md, row 11).
#include "races.h"
#include "tensix.h"

static void Configure(u32 outer) {
  if (MENDED) {
    Write32(TENSIX_PC_BUF + 8, 0);
    ReadBack(TENSIX_PC_BUF + 8);
  }
  const u32 nop = OP(SFPNOP);
  const u32 words[9] = {outer, 1, OP(NOP), OP(NOP), OP(NOP), nop, OP(NOP), nop, nop};
#pragma GCC unroll 9
  for (u32 i = 0; i < 9; ++i) Write32(MOP_CONFIG_BASE + 4 * i, words[i]);
}

static void TwoTemplates(void) {
  TensixSync();
  Configure(20);
  TTI(MOP, .mop_type = 1);
  Configure(10);
  TTI(MOP, .mop_type = 1);
  TensixSync();
  Report(0x600D0029);
}
KERNEL(TwoTemplates)
