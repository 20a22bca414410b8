// TRISC2: packs tiles; hands a page over by a store of its own, which does not wait for the packer.
#include "launch.h"
#include "tile_pack.h"
static void pack_main(void) {
  struct packer packer = PackInit();
  for (u32 tiles = Arg(0); tiles != 0; --tiles) {
    PackAcquireDst();
    PackReservePages(16, 1);
    TTI(SETADC, .cnt_set_mask = ADC_PACK, .channel_index = 0, .dimension_index = 3, .value = 0);
    PackSetAddress(LocalCb(16)->fifo_wr_ptr);
    TTI(MOP, .mop_type = 1);
    TTI(SETADCZW, .cnt_set_mask = ADC_PACK, .bit_mask = 5);
    PackReleaseDst(&packer);
#ifdef MENDED
    PackPushPages(16, 1);
#else
    struct local_cb_interface* cb = LocalCb(16);
    cb->tiles_received = (cb->tiles_received + 1) & 0xFFFF;
    Write32(StreamRegister(16, STREAM_TILES_RECEIVED), cb->tiles_received);  // HERE
    cb->fifo_wr_ptr += cb->fifo_page_size;
    if (cb->fifo_wr_ptr >= cb->fifo_limit) cb->fifo_wr_ptr -= cb->fifo_size;
#endif
  }
}
KERNEL(pack_main)
