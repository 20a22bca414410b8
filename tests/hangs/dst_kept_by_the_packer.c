// TRISC2: packs tiles and does not hand the half of Dst back.
#include "launch.h"
#include "tile_pack.h"

static void PackAll(void) {
  struct packer packer = PackInit();
  for (u32 tiles = Arg(0); tiles != 0; --tiles) {
    PackAcquireDst();
    PackReservePages(16, 1);
    TTI(SETADC, .cnt_set_mask = ADC_PACK, .channel_index = 0, .dimension_index = 3, .value = 0);
    PackSetAddress(LocalCb(16)->fifo_wr_ptr);
    TTI(MOP, .mop_type = 1);
    TTI(SETADCZW, .cnt_set_mask = ADC_PACK, .bit_mask = 5);
#ifdef MENDED
    PackReleaseDst(&packer);
#else
    packer.half ^= 1;
    PackSelectHalf(packer.half);
#endif
    PackPushPages(16, 1);
  }
}
KERNEL(PackAll)
