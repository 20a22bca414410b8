// TRISC2 clears its half of Dst and hands it back before it has packed it.
#define OWN_PACK
#include "sum_then_product.h"

#if GUEST_CORE == CORE_TRISC2
static void StoreTile(struct packer* packer, u32 cb) {
  PackAcquireDst();
  PackReservePages(cb, 1);
  TTI(SETADC, .cnt_set_mask = ADC_PACK, .channel_index = 0, .dimension_index = 3, .value = 0);
  PackSetAddress(LocalCb(cb)->fifo_wr_ptr);
#ifndef MENDED
  PackReleaseDst(packer);  // HERE
#endif
  TTI(MOP, .mop_type = 1);
  TTI(SETADCZW, .cnt_set_mask = ADC_PACK, .bit_mask = 5);
#ifdef MENDED
  PackReleaseDst(packer);
#endif
  PackPushPages(cb, 1);
}
#endif
