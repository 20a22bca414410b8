// TRISC0: unpacks tiles out of rows of a matrix to SrcA. A row of the tile, 32 datums of 16 bits,
// is read at once and fills two rows of SrcA: its left half and its right one.
//
// After tt-llk's llk_unpack_tilize.h for Blackhole.
#pragma once
#include "tile_unpack.h"

// `row_bytes`: from one row of the matrix to the next in L1.
GUEST_INLINE struct unpacker UnpackTilizeInit(u32 row_bytes) {
  const struct unpacker unpacker = UnpackInit();
  // The whole tile is one row of 1024 datums, for which the address makes a step every 32.
  enum { TILE_SIZE = TILE_FACES * FACE_SIZE };
  TTI(STALLWAIT, .stall_res = STALL_CFG, .wait_res = WAIT_TRISC_CFG | WAIT_UNPACK0);
  WriteConfig(THCON_SEC0_REG2_Out_data_format_WORD,
              CONFIG_FIELD(THCON_SEC0_REG2_Out_data_format, FORMAT_CODE(SRC_FORMAT)) |
                  CONFIG_FIELD(THCON_SEC0_REG2_Throttle_mode, 2) |
                  CONFIG_FIELD(THCON_SEC0_REG2_Tileize_mode, 1) |
                  CONFIG_FIELD(THCON_SEC0_REG2_Shift_amount_cntx0, row_bytes >> 4));
  WriteConfig(THCON_SEC0_REG5_Tile_x_dim_cntx0_WORD,
              CONFIG_FIELD(THCON_SEC0_REG5_Tile_x_dim_cntx0, TILE_SIZE) |
                  CONFIG_FIELD(THCON_SEC0_REG5_Tile_x_dim_cntx1, TILE_SIZE));
  WriteConfig(THCON_SEC0_REG0_TileDescriptor_WORD,
              FORMAT_CODE(IN_FORMAT) | 1 << 4 | TILE_SIZE << 16);
  WriteConfig(THCON_SEC0_REG0_TileDescriptor_WORD + 1, 1 | 1 << 16);
  TTI(SETADCXX, .cnt_set_mask = ADC_UNPACK0, .x_end2 = TILE_SIZE - 1);
  UnpackMop(1);
  return unpacker;
}
