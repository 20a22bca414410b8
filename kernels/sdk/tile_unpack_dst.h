// TRISC0: unpacks tiles of 32-bit data straight to Dst, with all their bits: a half of Dst a
// context, in turns as the math thread takes them.
//
// After tt-llk's llk_unpack_A.h and llk_unpack_common.h for Blackhole.
#pragma once
#include "tile_unpack.h"

// IN_FORMAT and SRC_FORMAT are both fp32 or both int32.
GUEST_INLINE struct unpacker UnpackToDstInit(void) {
  const struct unpacker unpacker = UnpackStart();
  WriteConfig(THCON_SEC0_REG2_Disable_zero_compress_cntx0_WORD,
              CONFIG_FIELD(THCON_SEC0_REG2_Disable_zero_compress_cntx0, 0xF) |
                  CONFIG_FIELD(THCON_SEC0_REG2_Disable_zero_compress_cntx4, 0xF) |
                  CONFIG_FIELD(THCON_SEC0_REG2_Unpack_if_sel_cntx0, 1) |
                  CONFIG_FIELD(THCON_SEC0_REG2_Unpack_if_sel_cntx1, 1));
  TTI(SETC16, .setc16_reg = SRCA_SET_Base_WORD, .setc16_value = 0);
  // The unpacker takes four rows off, as for SrcA.
  WriteConfig(THCON_SEC0_REG5_Dest_cntx0_address_WORD,
              CONFIG_FIELD(THCON_SEC0_REG5_Dest_cntx0_address, 4 * 16) |
                  CONFIG_FIELD(THCON_SEC0_REG5_Dest_cntx1_address, (4 + DST_HALF_ROWS) * 16));
  TTI(SETADCXX, .cnt_set_mask = ADC_UNPACK0, .x_end2 = TILE_FACES * FACE_SIZE - 1);
  const u32 tile = OP(UNPACR, .unpack_block_selection = 0, .ovrd_thread_id = 1, .last = 1);
  ConfigureMop((struct mop){.outer = 1,
                            .inner = 1,
                            .start = OP(NOP),
                            .end = OP(NOP),
                            .loop = tile,
                            .last_inner = tile,
                            .last_outer = tile});
  return unpacker;
}

// Waits for a page and for a half of Dst, unpacks it there and gives both on.
GUEST_INLINE void UnpackTileToDst(struct unpacker* unpacker, u32 cb) {
  UnpackWaitPages(cb, 1);
  TTI(SEMWAIT, .stall_res = STALL_UNPACK | STALL_SYNC, .sem_sel = 1 << SEM_DST_IS_FREE,
      .wait_sem_cond = SEMWAIT_ON_ZERO);
  TTI(SEMGET, .sem_sel = 1 << SEM_DST_IS_FREE);
  UnpackAt(unpacker, UnpackPageAddress(cb, 0));
  TTI(STALLWAIT, .stall_res = STALL_SYNC, .wait_res = WAIT_UNPACK0);
  TTI(SEMPOST, .sem_sel = 1 << SEM_UNPACK_TO_DST);
  UnpackPopPages(cb, 1);
}
