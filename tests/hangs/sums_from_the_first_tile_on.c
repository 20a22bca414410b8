// TRISC2: adds groups of four tiles up in the page of the output buffer (the packer's sums in L1).
#include "launch.h"
#include "tile_pack.h"
static void Accumulate(u32 on) {
  TTI(STALLWAIT, .stall_res = STALL_CFG, .wait_res = WAIT_PACK);
  if (on) {
    ModifyConfig(THCON_SEC0_REG1_Pack_L1_Acc_WORD, CONFIG_MASK(THCON_SEC0_REG1_Pack_L1_Acc),
                 CONFIG_FIELD(THCON_SEC0_REG1_Pack_L1_Acc, 1));
  } else {
    ModifyConfig(THCON_SEC0_REG1_Pack_L1_Acc_WORD, CONFIG_MASK(THCON_SEC0_REG1_Pack_L1_Acc), 0);
  }
  TTI(NOP);
  TTI(NOP);
}
static void pack_main(void) {
  struct packer packer = PackInit();
#ifndef MENDED
  Accumulate(1);
#endif
  for (u32 groups = Arg(0); groups != 0; --groups) {
    PackReservePages(16, 1);
    for (u32 tile = 0; tile < 4; ++tile) {
#ifdef MENDED
      Accumulate(tile != 0);
#endif
      PackAcquireDst();
      TTI(SETADC, .cnt_set_mask = ADC_PACK, .channel_index = 0, .dimension_index = 3, .value = 0);
      PackSetAddress(LocalCb(16)->fifo_wr_ptr);
      TTI(MOP, .mop_type = 1);  // HERE
      TTI(SETADCZW, .cnt_set_mask = ADC_PACK, .bit_mask = 5);
      PackReleaseDst(&packer);
    }
    PackPushPages(16, 1);
  }
  Accumulate(0);
}
KERNEL(pack_main)
