// The pack kernel hands its half of Dst back and stays where it is: every other tile is lost.
#include "launch.h"
#include "tile_pack.h"

static void pack_main(void) {
  struct packer packer = PackInit();
  for (u32 tile = 0; tile < Arg(0); ++tile) {
    PackAcquireDst();
    PackReservePages(16, 1);
    TTI(SETADC, .cnt_set_mask = ADC_PACK, .channel_index = 0, .dimension_index = 3, .value = 0);
    PackSetAddress(LocalCb(16)->fifo_wr_ptr);
    TTI(MOP, .mop_type = 1);  // HERE
    TTI(SETADCZW, .cnt_set_mask = ADC_PACK, .bit_mask = 5);
#ifdef MENDED
    PackReleaseDst(&packer);
#else
    TTI(STALLWAIT, .stall_res = STALL_MATH, .wait_res = WAIT_PACK);
    TTI(ZEROACC, .clear_mode = 2, .addr_mode = 1, .where = packer.half);
    TTI(SEMGET, .sem_sel = 1 << SEM_MATH_PACK);
#endif
    PackPushPages(16, 1);
  }
}
KERNEL(pack_main)
