// The mover copies a block in L1 that unpacker 0 then reads; the wait between is for the scalar
// unit (ORDERING.md, row 40).
#include "races.h"
#include "tile_unpack.h"

enum { WAIT_XMOV = 0x200, STALL_XMOV = 0x10 };

static void MoverThenUnpack(void) {
  UnpackStart();
  WriteConfig(THCON_SEC0_REG3_Base_address_WORD, (ScratchAddress(0x1000) >> 4) - 1);
  WriteConfig(THCON_SEC0_REG6_Source_address_WORD, ScratchAddress(0) >> 4);
  WriteConfig(THCON_SEC0_REG6_Destination_address_WORD, ScratchAddress(0x1000) >> 4);
  WriteConfig(THCON_SEC0_REG6_Transfer_direction_WORD,
              16 | 3u << THCON_SEC0_REG6_Transfer_direction_LOW);
  TTI(STALLWAIT, .stall_res = STALL_XMOV | STALL_UNPACK, .wait_res = WAIT_TRISC_CFG);
  TTI(XMOV, .mov_block_selection = 0, .last = 1);
  TTI(STALLWAIT, .stall_res = STALL_UNPACK, .wait_res = MENDED ? WAIT_XMOV : WAIT_THCON);
  TTI(UNPACR, .unpack_block_selection = 0, .ovrd_thread_id = 1, .last = 1);
  TensixSync();
  Report(0x600D004B);
}
KERNEL(MoverThenUnpack)
