// TRISC0 stores a word into a tile and pushes the unpack of the tile at once: L1 and the push are
// two regions of memory (ORDERING.md, row 3).
#include "races.h"
#include "tile_unpack.h"

static void StoreAndUnpack(void) {
  UnpackStart();
  WriteConfig(THCON_SEC0_REG3_Base_address_WORD, (ScratchAddress(0) >> 4) - 1);
  TTI(STALLWAIT, .stall_res = STALL_UNPACK, .wait_res = WAIT_TRISC_CFG);
  Write32(ScratchAddress(0x20), 5);
  if (MENDED) ReadBack(ScratchAddress(0x20));
  TTI(UNPACR, .unpack_block_selection = 0, .ovrd_thread_id = 1, .last = 1);
  TensixSync();
  Report(0x600D0037);
}
KERNEL(StoreAndUnpack)
