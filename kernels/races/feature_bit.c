// TRISC2 packs and tells TRISC1 by mailbox, who changes DBG_FEATURE_DISABLE, by which the packer,
// the matrix and the vector unit do their work (tenstorrent/tt-metal #44066, tt-llk #1067;
// ORDERING.md, row 10).
#include "races.h"

enum { MAILBOX_BASE = 0xFFEC0000, MAILBOX_STRIDE = 0x1000, DBG_FEATURE_DISABLE = 0xFFB12068 };
#if GUEST_CORE == CORE_TRISC2
#include "tile_pack.h"

static void FeatureBit(void) {
  PackInit();
  TTI(STALLWAIT, .stall_res = STALL_PACK, .wait_res = WAIT_TRISC_CFG);
  PackSetAddress(ScratchAddress(0x1000) >> 4);
  TTI(PACR, .last = 1);
  if (MENDED) TensixSync();
  Write32(MAILBOX_BASE + 2 * MAILBOX_STRIDE, 1);
  TensixSync();
}
#else

static void FeatureBit(void) {
  ReadBack(MAILBOX_BASE + 3 * MAILBOX_STRIDE);
  Write32(DBG_FEATURE_DISABLE, 1 << 11);
  Report(0x600D0041);
}
#endif
KERNEL(FeatureBit)
