// TRISC0: unpacks tiles of two circular buffers, one to SrcA and one to SrcB.
//
// After tt-llk's llk_unpack_AB.h and llk_unpack_AB_matmul.h for Blackhole.
#pragma once
#include "tile_unpack.h"

struct unpacker_pair {
  u32 cb[2];  // of SrcA, of SrcB
  u32 context;
  u32 consumed[2];
};

// Face by face, both files handed over together (element-wise operations), or whole tiles of 64
// rows at once (products of tiles).
enum unpack_unit { UNPACK_FACES, UNPACK_WHOLE_TILES };

GUEST_INLINE struct unpacker_pair UnpackPairInit(u32 cb_srca, u32 cb_srcb, enum unpack_unit unit) {
  (void)UnpackInit(cb_srca);
  // Arithmetic reads denormals as zero; to keep them is for moves only.
  TTI(ATGETM, .mutex_index = MUTEX_REG_RMW);
  ModifyConfig(ALU_ACC_CTRL_Zero_Flag_disabled_src_WORD,
               CONFIG_MASK(ALU_ACC_CTRL_Zero_Flag_disabled_src), 0);
  TTI(ATRELM, .mutex_index = MUTEX_REG_RMW);
  const u32 whole = unit == UNPACK_WHOLE_TILES;
  if (whole) {
    TTI(SETADCXX, .cnt_set_mask = ADC_UNPACK0 | ADC_UNPACK1, .x_end2 = TILE_FACES * FACE_SIZE - 1);
  }
  const u32 srca = OP(UNPACR, .unpack_block_selection = 0, .addr_mode = !whole, .ovrd_thread_id = 1,
                      .set_dat_valid = 1, .last = 1);
  const u32 srcb = OP(UNPACR, .unpack_block_selection = 1, .addr_mode = !whole, .ovrd_thread_id = 1,
                      .set_dat_valid = 1, .last = 1);
  ConfigureMop((struct mop){.outer = whole ? 1 : TILE_FACES,
                            .inner = 1,
                            .start = srca,
                            .end = OP(NOP),
                            .loop = srcb,
                            .last_inner = srcb,
                            .last_outer = srcb});
  return (struct unpacker_pair){{cb_srca, cb_srcb}, 0, {0, 0}};
}

GUEST_INLINE void UnpackWaitPage(u32 cb, u32 consumed) {
  while ((Read32(StreamRegister(cb, STREAM_TILES_RECEIVED)) & 0xFFFF) == consumed) {
  }
}

// Gives a page back to its producer when the unpackers have read it; the new count of pages taken.
GUEST_INLINE u32 UnpackReleasePage(u32 index, u32 consumed) {
  struct local_cb_interface* cb = LocalCb(index);
  consumed = (consumed + 1) & 0xFFFF;
  TT(SETDMAREG, .payload_sig_sel = consumed & 0x3FFF, .payload_sig_sel_size = consumed >> 14,
     .reg_index_16b = GprLow(GPR_UNPACK_TMP));
  TTI(STALLWAIT, .stall_res = STALL_THCON, .wait_res = WAIT_UNPACK0 | WAIT_UNPACK1);
  TT(STOREREG, .tdma_data_reg_index = GPR_UNPACK_TMP,
     .reg_addr = (StreamRegister(index, STREAM_TILES_ACKED) & 0xFFFFF) >> 2);
  cb->fifo_rd_ptr += cb->fifo_page_size;
  if (cb->fifo_rd_ptr >= cb->fifo_limit) cb->fifo_rd_ptr -= cb->fifo_size;
  return consumed;
}

enum { KEEP_SRCA = 1, KEEP_SRCB = 2 };

// One tile of each buffer. Pages that are kept stay for the next pair.
GUEST_INLINE void UnpackPair(struct unpacker_pair* unpacker, u32 keep) {
  UnpackWaitPage(unpacker->cb[0], unpacker->consumed[0]);
  UnpackWaitPage(unpacker->cb[1], unpacker->consumed[1]);
  TTI(SETADCZW, .cnt_set_mask = ADC_UNPACK0 | ADC_UNPACK1, .bit_mask = 0xF);
  while (SemaphoreRead(SEM_UNPACK_SYNC) >= 2) {
  }
  WriteConfig(THCON_SEC0_REG3_Base_address_WORD + unpacker->context,
              LocalCb(unpacker->cb[0])->fifo_rd_ptr - 1);
  WriteConfig(THCON_SEC1_REG3_Base_address_WORD + unpacker->context,
              LocalCb(unpacker->cb[1])->fifo_rd_ptr - 1);
  SemaphorePost(SEM_UNPACK_SYNC);
  TTI(STALLWAIT, .stall_res = STALL_UNPACK, .wait_res = WAIT_TRISC_CFG);
  TTI(MOP, .mop_type = 1);
  TTI(SEMGET, .sem_sel = 1 << SEM_UNPACK_SYNC);
  unpacker->context ^= 1;
  TT(SETC16, .setc16_reg = UNPACK_MISC_CFG_CfgContextOffset_0_WORD,
     .setc16_value = 0x101 * unpacker->context);
  for (u32 i = 0; i < 2; ++i) {
    if (keep >> i & 1) continue;
    unpacker->consumed[i] = UnpackReleasePage(unpacker->cb[i], unpacker->consumed[i]);
  }
}
