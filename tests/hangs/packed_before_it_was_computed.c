// The pack kernel waits for room in its buffer and not for the math thread.
#include "launch.h"
#include "tile_pack.h"

static void pack_tile(struct packer* packer, u32 cb) {
#ifdef MENDED
  PackAcquireDst();
#endif
  PackReservePages(cb, 1);
  TTI(SETADC, .cnt_set_mask = ADC_PACK, .channel_index = 0, .dimension_index = 3, .value = 0);
  PackSetAddress(LocalCb(cb)->fifo_wr_ptr);
  TTI(MOP, .mop_type = 1);  // HERE
  TTI(SETADCZW, .cnt_set_mask = ADC_PACK, .bit_mask = 5);
  PackReleaseDst(packer);
  PackPushPages(cb, 1);
}

static void pack_main(void) {
  struct packer packer = PackInit();
  for (u32 tile = 0; tile < Arg(0); ++tile) pack_tile(&packer, 16);
}
KERNEL(pack_main)
