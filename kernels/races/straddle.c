// A field that the vector unit samples is changed after a wait for the matrix unit only: a load in
// flight can see either mode (tenstorrent/tt-metal #48360, tt-llk #747; ORDERING.md, row 38).
#include "races.h"
#include "tensix.h"

static void LoadAndSwitch(void) {
  for (u32 i = 0; i < 8; ++i) TTI(SFPLOAD, .lreg_ind = 0, .instr_mod0 = 0, .sfpu_addr_mode = 7);
#if MENDED
  TTI(STALLWAIT, .stall_res = STALL_CFG, .wait_res = WAIT_MATH | WAIT_SFPU);
#else
  TTI(STALLWAIT, .stall_res = STALL_CFG, .wait_res = WAIT_MATH);
#endif
  TTI(RMWCIB3, .cfg_reg_addr = ALU_ACC_CTRL_SFPU_Fp32_enabled_WORD,
      .mask = CONFIG_MASK(ALU_ACC_CTRL_SFPU_Fp32_enabled) >> 24,
      .data = CONFIG_MASK(ALU_ACC_CTRL_SFPU_Fp32_enabled) >> 24);
  TensixSync();
  Report(0x600D0007);
}
KERNEL(LoadAndSwitch)
