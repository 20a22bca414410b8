// TRISC2: packs to an address that was never worked out.
#include "launch.h"
#include "tile_pack.h"

static void PackAll(void) {
  struct packer packer = PackInit();
  u32 address = 1;
  for (u32 tiles = Arg(0); tiles != 0; --tiles) {
    PackAcquireDst();
    PackReservePages(16, 1);
#ifdef MENDED
    address = LocalCb(16)->fifo_wr_ptr;
#endif
    TTI(SETADC, .cnt_set_mask = ADC_PACK, .channel_index = 0, .dimension_index = 3, .value = 0);
    PackSetAddress(address);
    TTI(MOP, .mop_type = 1);
    TTI(SETADCZW, .cnt_set_mask = ADC_PACK, .bit_mask = 5);
    PackReleaseDst(&packer);
    PackPushPages(16, 1);
  }
}
KERNEL(PackAll)
