// Two tiles are computed into one half of Dst, and the packer packs the first of them twice.
#include "launch.h"
#if GUEST_CORE == CORE_TRISC1
#include "tile_math.h"

static void math_main(void) {
  MathStart();
  CopyInit();
  for (u32 t = Arg(0); t != 0; t -= 2) {
    MathAcquireDst();
    for (u32 i = 0; i < 2; ++i) {
      MathSelectTile(i);
      MathCopyTile();
    }
    MathReleaseDst();
  }
}
KERNEL(math_main)
#else
#include "tile_pack.h"

static void pack_main(void) {
  struct packer packer = PackInit();
  for (u32 t = Arg(0); t != 0; t -= 2) {
    PackAcquireDst();
    for (u32 i = 0; i < 2; ++i) {
      PackReservePages(16, 1);
#ifdef MENDED
      TT(SETADC, .cnt_set_mask = ADC_PACK, .channel_index = 0, .dimension_index = 3, .value = i);
#else
      TTI(SETADC, .cnt_set_mask = ADC_PACK, .channel_index = 0, .dimension_index = 3, .value = 0);
#endif
      PackSetAddress(LocalCb(16)->fifo_wr_ptr);
      TTI(MOP, .mop_type = 1);  // HERE
      TTI(SETADCZW, .cnt_set_mask = ADC_PACK, .bit_mask = 5);
      PackPushPages(16, 1);
    }
    PackReleaseDst(&packer);
  }
}
KERNEL(pack_main)
#endif
