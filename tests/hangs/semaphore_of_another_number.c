// The pack kernel waits for semaphore 2, and the math kernel posts semaphore 1.
#include "launch.h"
#include "tile_pack.h"
#ifdef MENDED
enum { SEM_RESULT = SEM_MATH_PACK };
#else
enum { SEM_RESULT = 2 };
#endif

static void wait_for_result(void) {
  TTI(SEMWAIT, .stall_res = STALL_TDMA, .sem_sel = 1 << SEM_RESULT,  // HERE
      .wait_sem_cond = SEMWAIT_ON_ZERO);
}

static void pack_main(void) {
  struct packer packer = PackInit();
  for (u32 tile = 0; tile < Arg(0); ++tile) {
    wait_for_result();
    PackReservePages(16, 1);
    TTI(SETADC, .cnt_set_mask = ADC_PACK, .channel_index = 0, .dimension_index = 3, .value = 0);
    PackSetAddress(LocalCb(16)->fifo_wr_ptr);
    TTI(MOP, .mop_type = 1);
    TTI(SETADCZW, .cnt_set_mask = ADC_PACK, .bit_mask = 5);
    PackReleaseDst(&packer);
    PackPushPages(16, 1);
  }
}
KERNEL(pack_main)
