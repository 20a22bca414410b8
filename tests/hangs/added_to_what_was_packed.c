// The packer hands Dst back without clearing it, and the products add to what is there.
#define DST_FORMAT FORMAT_FP32
#include "launch.h"
#include "tile_pack.h"
static void release(struct packer* packer) {
  TTI(STALLWAIT, .stall_res = STALL_MATH, .wait_res = WAIT_PACK);
#ifdef MENDED
  TT(ZEROACC, .clear_mode = 2, .use_32_bit_mode = DST_IS_32BIT, .addr_mode = 1,
     .where = packer->half);
#endif
  TTI(SEMGET, .sem_sel = 1 << SEM_MATH_PACK);
  packer->half ^= 1;
  PackSelectHalf(packer->half);
}
static void pack_main(void) {
  struct packer packer = PackInit();
  for (u32 t = Arg(0); t != 0; --t) {
    PackAcquireDst();
    PackReservePages(16, 1);
    TTI(SETADC, .cnt_set_mask = ADC_PACK, .channel_index = 0, .dimension_index = 3, .value = 0);
    PackSetAddress(LocalCb(16)->fifo_wr_ptr);
    TTI(MOP, .mop_type = 1);
    TTI(SETADCZW, .cnt_set_mask = ADC_PACK, .bit_mask = 5);
    release(&packer);
    PackPushPages(16, 1);
  }
}
KERNEL(pack_main)
