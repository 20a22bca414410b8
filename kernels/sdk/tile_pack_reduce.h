// TRISC2: masks at the edges of tiles that hold the results of a reduction, so that zeroes are
// packed for everything else.
//
// After tt-llk's llk_pack_common.h for Blackhole.
#pragma once
#include "reduce_extent.h"
#include "tile_pack.h"

// Of each face, as what is no result is masked: the first column, the first row, the first datum.
// Faces without results hold zeroes. Mask 1 is for the rows of a face that row set 1 says.
GUEST_INLINE void PackMaskReduction(enum reduce_extent extent) {
  enum { FIRST_DATUM = 1, ALL_DATUMS = 0xFFFF, ALL_ROWS = 0x55555555, FIRST_ROW = 1 };
  TTI(STALLWAIT, .stall_res = STALL_CFG, .wait_res = WAIT_PACK);
  WriteConfig(PCK_EDGE_OFFSET_SEC0_mask_WORD, CONFIG_FIELD(PCK_EDGE_TILE_ROW_SET_SELECT_select, 1));
  WriteConfig(PCK_EDGE_OFFSET_SEC1_mask_WORD, extent == REDUCE_COLUMNS ? ALL_DATUMS : FIRST_DATUM);
  WriteConfig(TILE_ROW_SET_MAPPING_1_row_set_mapping_0_WORD,
              extent == REDUCE_ROWS ? ALL_ROWS : FIRST_ROW);
  TTI(STALLWAIT, .stall_res = STALL_PACK, .wait_res = WAIT_TRISC_CFG);
}
