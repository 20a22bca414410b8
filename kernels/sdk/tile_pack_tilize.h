// TRISC2: packing in other orders than that of Dst.
//
// After tt-llk's llk_pack.h (tilize) and llk_pack_untilize.h for Blackhole.
#pragma once
#include "tile_pack.h"

// Which of four rows a PACR takes.
enum { PACK_EVEN_ROWS = 5, PACK_ODD_ROWS = 10, PACK_TWO_ROWS = 3, PACK_REPLAY = 0 };

// Tiles whose rows lie in Dst as left half, right half, left half and so on: for each half of the
// tile a face of the even rows and one of the odd rows.
GUEST_INLINE struct packer PackTilizeInit(void) {
  PackConfigureStrides(2);
  TTI(SETC16, .setc16_reg = ADDR_MOD_PACK_SEC0_YsrcIncr_WORD,
      .setc16_value = 4 << ADDR_MOD_PACK_SEC0_YsrcIncr_LOW);
  TTI(SETC16, .setc16_reg = ADDR_MOD_PACK_SEC1_YsrcIncr_WORD,
      .setc16_value = 1 << ADDR_MOD_PACK_SEC1_YsrcClear_LOW);
  TTI(SETC16, .setc16_reg = ADDR_MOD_PACK_SEC2_YsrcIncr_WORD,
      .setc16_value = 1 << ADDR_MOD_PACK_SEC2_YsrcClear_LOW | 1 << ADDR_MOD_PACK_SEC2_ZsrcIncr_LOW);
  // All of half a tile but the last PACR, which goes on to the other half or ends the tile.
  ReplayRecord(PACK_REPLAY, FACE_ROWS - 1);
#pragma GCC unroll 16
  for (u32 i = 0; i < FACE_ROWS / 2; ++i) {
    TTI(PACR, .addr_mode = i == FACE_ROWS / 2 - 1, .read_intf_sel = PACK_EVEN_ROWS);
  }
#pragma GCC unroll 16
  for (u32 i = 0; i < FACE_ROWS / 2 - 1; ++i) TTI(PACR, .read_intf_sel = PACK_ODD_ROWS);
  ReplayRecorded();
  ConfigureMop((struct mop){
      .outer = 2,
      .inner = 1,
      .start = OP(REPLAY, .start_idx = PACK_REPLAY, .len = FACE_ROWS - 1),
      .end = OP(NOP),
      .loop = OP(PACR, .addr_mode = 2, .read_intf_sel = PACK_ODD_ROWS),
      .last_inner = OP(PACR, .addr_mode = 2, .read_intf_sel = PACK_ODD_ROWS),
      .last_outer = OP(PACR, .addr_mode = 2, .read_intf_sel = PACK_ODD_ROWS, .last = 1)});
  return PackStart();
}

enum { GPR_ROW_STEP = 30 };

// Blocks of tiles that lie side by side in a half of Dst, up to 8 of 16 bits, as rows of a matrix.
// The MOP is a row of faces: 16 rows of the matrix, in each a row of two faces of every tile.
GUEST_INLINE struct packer PackUntilizeInit(u32 width) {
  PackConfigureStrides(2);
  TTI(SETC16, .setc16_reg = ADDR_MOD_PACK_SEC0_YsrcIncr_WORD, .setc16_value = 0);
  const u32 row_step = width * 2 * FACE_COLUMNS * PACK_DATUM_SIZE / 16;
  TT(SETDMAREG, .reg_index_16b = GprLow(GPR_ROW_STEP), .payload_sig_sel = row_step);
  TTI(SETDMAREG, .reg_index_16b = GprHigh(GPR_ROW_STEP), .payload_sig_sel = 0);
  // The next row's address, once the packer no longer uses this row's.
  ReplayRecord(PACK_REPLAY, 4);
  TTI(ADDDMAREG, .op_a_reg_index = GPR_OUTPUT_ADDR, .op_b_reg_index = GPR_ROW_STEP,
      .result_reg_index = GPR_OUTPUT_ADDR);
  TTI(STALLWAIT, .stall_res = STALL_CFG, .wait_res = WAIT_THCON | WAIT_PACK);
  TTI(WRCFG, .gpr_address = GPR_OUTPUT_ADDR, .cfg_reg = THCON_SEC0_REG1_L1_Dest_addr_WORD);
  TTI(NOP);
  ReplayRecorded();
  const u32 row = OP(PACR, .dst_access_mode = 1, .read_intf_sel = PACK_TWO_ROWS);
  const u32 last = OP(PACR, .dst_access_mode = 1, .read_intf_sel = PACK_TWO_ROWS, .last = 1);
  ConfigureMop((struct mop){.outer = FACE_ROWS,
                            .inner = width,
                            .start = OP(ADDRCRZW, .cnt_set_mask = ADC_PACK, .bit_mask = 2),
                            .end = OP(INCADCXY, .cnt_set_mask = ADC_PACK, .ch0_y = 1),
                            .second_end = OP(REPLAY, .start_idx = PACK_REPLAY, .len = 4),
                            .loop = OP(INCADCZW, .cnt_set_mask = ADC_PACK, .ch0_w = 1),
                            .second_loop = row,
                            .last_inner = last,
                            .last_outer = last});
  return PackStart();
}

// A block, as one page of a circular buffer.
GUEST_INLINE void PackUntilizedBlock(struct packer* packer, u32 cb) {
  PackAcquireDst();
  PackReservePages(cb, 1);
  PackSetAddress(LocalCb(cb)->fifo_wr_ptr);
  // The tile counter starts one behind the first tile, as the loop advances it first.
  TTI(SETADCZW, .cnt_set_mask = ADC_PACK, .bit_mask = 1);
  TTI(SETADC, .cnt_set_mask = ADC_PACK, .channel_index = 0, .dimension_index = 3, .value = 15);
  TTI(SETADCXY, .cnt_set_mask = ADC_PACK, .bit_mask = 2);
  for (u32 faces = 0; faces < 2; ++faces) {
    TTI(MOP, .mop_type = 1);
    TTI(INCADCZW, .cnt_set_mask = ADC_PACK, .ch0_z = 1);
    TTI(SETADCXY, .cnt_set_mask = ADC_PACK, .bit_mask = 2);
  }
  TTI(SETADCZW, .cnt_set_mask = ADC_PACK, .bit_mask = 5);
  PackReleaseDst(packer);
  PackPushPages(cb, 1);
}
