// TRISC0 switches the width of Dst with RMWCIB and tells TRISC1 by mailbox at once; the instruction
// can still be queued. TRISC1's wait for TRISC_CFG sees its own core's stores, of which there are
// none (tenstorrent/tt-metal #55664, #55807; ORDERING.md, rows 9 and 16).
#include "races.h"
#include "tensix.h"

enum { MAILBOX_BASE = 0xFFEC0000, MAILBOX_STRIDE = 0x1000 };

#if GUEST_CORE == CORE_TRISC0
static void Switch(void) {
  TTI(RMWCIB3, .cfg_reg_addr = ALU_ACC_CTRL_SFPU_Fp32_enabled_WORD,
      .mask = CONFIG_MASK(ALU_ACC_CTRL_SFPU_Fp32_enabled) >> 24,
      .data = CONFIG_MASK(ALU_ACC_CTRL_SFPU_Fp32_enabled) >> 24);
  if (MENDED) TensixSync();
  Write32(MAILBOX_BASE + 2 * MAILBOX_STRIDE, 1);  // to TRISC1
}
KERNEL(Switch)
#else
static void LoadInNewMode(void) {
  const u32 told = ReadBack(MAILBOX_BASE + 1 * MAILBOX_STRIDE);  // from TRISC0
  TTI(STALLWAIT, .stall_res = STALL_SFPU, .wait_res = WAIT_TRISC_CFG);
  TTI(SFPLOAD, .lreg_ind = 0, .instr_mod0 = 0, .sfpu_addr_mode = 7);
  TensixSync();
  Report(0x600D0005 + told);
}
KERNEL(LoadInNewMode)
#endif
