// TRISC2 switches the packer's accumulation in L1 while the packer is at work
// (tenstorrent/tt-llk #1384, #1387; ORDERING.md, row 38).
#include "races.h"
#include "tile_pack.h"

static void PackAndAccumulate(void) {
  PackInit();
  TTI(STALLWAIT, .stall_res = STALL_PACK, .wait_res = WAIT_TRISC_CFG);
  PackSetAddress(ScratchAddress(0x1000) >> 4);
  TTI(MOP, .mop_type = 1);
  if (MENDED) TTI(STALLWAIT, .stall_res = STALL_CFG, .wait_res = WAIT_PACK);
  ModifyConfig(THCON_SEC0_REG1_Pack_L1_Acc_WORD, CONFIG_MASK(THCON_SEC0_REG1_Pack_L1_Acc),
               CONFIG_FIELD(THCON_SEC0_REG1_Pack_L1_Acc, 1));
  TTI(STALLWAIT, .stall_res = STALL_PACK | STALL_CFG, .wait_res = WAIT_PACK);
  ModifyConfig(THCON_SEC0_REG1_Pack_L1_Acc_WORD, CONFIG_MASK(THCON_SEC0_REG1_Pack_L1_Acc), 0);
  TensixSync();
  Report(0x600D0027);
}
KERNEL(PackAndAccumulate)
