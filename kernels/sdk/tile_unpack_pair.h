// TRISC0: unpacks tiles of two circular buffers, one to SrcA and one to SrcB.
//
// After tt-llk's llk_unpack_AB.h and llk_unpack_AB_matmul.h for Blackhole.
#pragma once
#include "tile_unpack.h"

// What of SrcB's tile goes with what of SrcA's.
enum unpack_unit {
  UNPACK_FACES,        // face by face
  UNPACK_WHOLE_TILES,  // all 64 rows at once (products of tiles)
  UNPACK_COLUMN_B,     // with the faces of a row the left one of that row, which holds a column
  UNPACK_ROW_B         // with every face the upper one of its column, which holds a row
};

enum { UNPACK_REPLAY = 0 };

// From now on pairs are unpacked in this way.
GUEST_INLINE void UnpackPairMode(enum unpack_unit unit) {
  const u32 whole = unit == UNPACK_WHOLE_TILES;
  const u32 broadcast = unit == UNPACK_COLUMN_B || unit == UNPACK_ROW_B;
  TT(SETADCXX, .cnt_set_mask = ADC_UNPACK0 | ADC_UNPACK1,
     .x_end2 = (whole ? TILE_FACES : 1) * FACE_SIZE - 1);
  const u32 srca = OP(UNPACR, .unpack_block_selection = 0, .addr_mode = !whole, .ovrd_thread_id = 1,
                      .set_dat_valid = 1, .last = 1);
  const u32 srcb = OP(UNPACR, .unpack_block_selection = 1, .addr_mode = !whole, .ovrd_thread_id = 1,
                      .set_dat_valid = 1, .last = 1);
  struct mop mop = {.outer = whole       ? 1
                             : broadcast ? 2
                                         : TILE_FACES,
                    .inner = broadcast ? 2 : 1,
                    .start = srcb,
                    .end = OP(NOP),
                    .loop = srca};
  if (unit == UNPACK_COLUMN_B) {
    mop.end = OP(SETADCZW, .cnt_set_mask = ADC_UNPACK1, .ch0_z = 2, .bit_mask = 1);
  }
  if (unit == UNPACK_ROW_B) {
    mop.start = OP(NOP);
    mop.loop = OP(REPLAY, .start_idx = UNPACK_REPLAY, .len = 2);
    mop.end = OP(SETADCZW, .cnt_set_mask = ADC_UNPACK1, .ch0_z = 0, .bit_mask = 1);
    ReplayRecord(UNPACK_REPLAY, 2);
    TTI(UNPACR, .unpack_block_selection = 0, .addr_mode = 1, .ovrd_thread_id = 1,
        .set_dat_valid = 1, .last = 1);
    TTI(UNPACR, .unpack_block_selection = 1, .addr_mode = 1, .ovrd_thread_id = 1,
        .set_dat_valid = 1, .last = 1);
    ReplayRecorded();
  }
  mop.last_inner = mop.last_outer = mop.loop;
  ConfigureMop(mop);
}

GUEST_INLINE struct unpacker UnpackPairInit(enum unpack_unit unit) {
  const struct unpacker unpacker = UnpackStart();
  UnpackKeepDenormals(0);
  UnpackPairMode(unit);
  return unpacker;
}

// A page of one buffer to SrcA with a page of another (or the same) to SrcB, both of which stay.
// Pages are counted from the oldest, and waited for.
GUEST_INLINE void UnpackPairAt(struct unpacker* unpacker, u32 cb_srca, u32 page_srca, u32 cb_srcb,
                               u32 page_srcb) {
  UnpackWaitPages(cb_srca, page_srca + 1);
  UnpackWaitPages(cb_srcb, page_srcb + 1);
  UnpackWaitContext();
  WriteConfig(THCON_SEC0_REG3_Base_address_WORD + unpacker->context,
              UnpackPageAddress(cb_srca, page_srca) - 1);
  WriteConfig(THCON_SEC1_REG3_Base_address_WORD + unpacker->context,
              UnpackPageAddress(cb_srcb, page_srcb) - 1);
  UnpackRun(unpacker);
}

enum { KEEP_SRCA = 1, KEEP_SRCB = 2 };

// The oldest page of each buffer. What is not kept goes back to its producer.
GUEST_INLINE void UnpackPair(struct unpacker* unpacker, u32 cb_srca, u32 cb_srcb, u32 keep) {
  UnpackPairAt(unpacker, cb_srca, 0, cb_srcb, 0);
  if (!(keep & KEEP_SRCA)) UnpackPopPages(cb_srca, 1);
  if (!(keep & KEEP_SRCB)) UnpackPopPages(cb_srcb, 1);
}
