// The store slot of an SFPLOADMACRO writes a row of Dst that an SFPLOAD reads a few instructions
// later; nobody says how many are enough (tenstorrent/tt-metal #45659, #45660, #45731; ORDERING.md,
// row 26). Mended, the macro ends in an LReg.
#include "races.h"
#include "tensix.h"

enum { SFPLOADI_LOW_HALF = 10, SFPLOADI_HIGH_HALF = 8, MACRO_SEQUENCE_0 = 4, STORE_SLOT = 0x8B };

static void LoadStoreLoad(void) {
  TTI(SFPLOADI, .lreg_ind = 0, .instr_mod0 = SFPLOADI_LOW_HALF, .imm16 = 0);
  TTI(SFPLOADI, .lreg_ind = 0, .instr_mod0 = SFPLOADI_HIGH_HALF,
      .imm16 = MENDED ? 0 : STORE_SLOT << 8);
  TTI(SFPCONFIG, .config_dest = MACRO_SEQUENCE_0);
  // The slot stores this.
  TTI(SFPLOADI, .lreg_ind = 0, .imm16 = 0x4040);
  TTI(SFPNOP);
  TTI(SFPLOADMACRO, .lreg_ind = 1, .sfpu_addr_mode = 7);
  if (MENDED) TTI(SFPSTORE, .lreg_ind = 0, .sfpu_addr_mode = 7);
  TTI(SFPNOP);
  TTI(SFPNOP);
  TTI(SFPLOAD, .lreg_ind = 2, .sfpu_addr_mode = 7);
  TensixSync();
  Report(0x600D0019);
}
KERNEL(LoadStoreLoad)
