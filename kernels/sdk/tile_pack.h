// TRISC2: packs 32x32 tiles from Dst into a circular buffer.
//
// After tt-llk's llk_pack.h, llk_pack_common.h and cpack_common.h for Blackhole.
#pragma once
#include "cb.h"
#include "tensix.h"

// General-purpose registers of the pack thread. WRCFG of 128 bits takes four from a multiple of 4.
enum {
  GPR_DEST_OFFSET_LO = 4,
  GPR_DEST_OFFSET_HI = 8,
  GPR_OUTPUT_ADDR = 12,
  GPR_NUM_PAGES = 24,
  GPR_PACK_TMP0 = 28,
  GPR_PACK_TMP1 = 29
};

struct packer {
  u32 half;  // half of Dst that is packed next
};

// Strides of the read from Dst, in bytes: row; one or two faces; tile.
GUEST_INLINE void PackConfigureStrides(u32 z_faces) {
  TTI(SETDMAREG, .reg_index_16b = 2 * GPR_PACK_TMP0, .payload_sig_sel = 0);
  TTI(SETDMAREG, .reg_index_16b = 2 * GPR_PACK_TMP0 + 1,
      .payload_sig_sel = PACK_DATUM_SIZE * FACE_COLUMNS);
  TTI(SETDMAREG, .reg_index_16b = 2 * GPR_PACK_TMP1,
      .payload_sig_sel = PACK_DATUM_SIZE * FACE_SIZE * z_faces);
  TTI(SETDMAREG, .reg_index_16b = 2 * GPR_PACK_TMP1 + 1,
      .payload_sig_sel = PACK_DATUM_SIZE * FACE_SIZE * TILE_FACES);
  TTI(STALLWAIT, .stall_res = STALL_CFG, .wait_res = WAIT_THCON);
  TTI(WRCFG, .gpr_address = GPR_PACK_TMP0, .cfg_reg = PCK0_ADDR_CTRL_XY_REG_0_Xstride_WORD);
  TTI(WRCFG, .gpr_address = GPR_PACK_TMP1, .cfg_reg = PCK0_ADDR_CTRL_ZW_REG_0_Zstride_WORD);
  TTI(NOP);
  TTI(NOP);
}

// Units of 16 bytes that the packer leaves for exponents before data of 8 bits or fewer, a byte for
// 16 datums; fp8 and integers have none.
enum { PACK_EXPONENTS = OUT_FORMAT == FORMAT_BFP8 ? TILE_FACES : 0 };

GUEST_INLINE void PackConfigureFormats(void) {
  TTI(ATGETM, .mutex_index = MUTEX_REG_RMW);
  ModifyConfig(ALU_FORMAT_SPEC_REG2_Dstacc_WORD, CONFIG_MASK(ALU_FORMAT_SPEC_REG2_Dstacc),
               CONFIG_FIELD(ALU_FORMAT_SPEC_REG2_Dstacc, PACK_FORMAT));
  ModifyConfig(STACC_RELU_ApplyRelu_WORD,
               CONFIG_MASK(STACC_RELU_ApplyRelu) | CONFIG_MASK(STACC_RELU_ReluThreshold), 0);
  TTI(ATRELM, .mutex_index = MUTEX_REG_RMW);
  WriteConfig(THCON_SEC0_REG1_Row_start_section_size_WORD,
              CONFIG_FIELD(THCON_SEC0_REG1_Exp_section_size, PACK_EXPONENTS));
  WriteConfig(THCON_SEC0_REG1_Disable_zero_compress_WORD,
              CONFIG_FIELD(THCON_SEC0_REG1_Disable_zero_compress, 1) |
                  CONFIG_FIELD(THCON_SEC0_REG1_Out_data_format, FORMAT_CODE(OUT_FORMAT)) |
                  CONFIG_FIELD(THCON_SEC0_REG1_In_data_format, PACK_FORMAT));
  WriteConfig(PCK_DEST_RD_CTRL_Read_32b_data_WORD,
              CONFIG_FIELD(PCK_DEST_RD_CTRL_Read_32b_data, DST_IS_32BIT) |
                  CONFIG_FIELD(PCK_DEST_RD_CTRL_Round_10b_mant, PACK_ROUNDS_TO_19_BITS));
  ModifyConfig(THCON_SEC0_REG1_Pac_LF8_4b_exp_WORD, CONFIG_MASK(THCON_SEC0_REG1_Pac_LF8_4b_exp),
               CONFIG_FIELD(THCON_SEC0_REG1_Pac_LF8_4b_exp, OUT_FORMAT == FORMAT_FP8_E4M3));
  for (u32 i = 0; i < 4; ++i) {
    WriteConfig(PACK_COUNTERS_SEC0_pack_per_xy_plane_WORD + i,
                CONFIG_FIELD(PACK_COUNTERS_SEC0_pack_reads_per_xy_plane, FACE_ROWS));
  }
  // No masking at the edges.
  WriteConfig(PCK_EDGE_OFFSET_SEC0_mask_WORD, CONFIG_FIELD(PCK_EDGE_OFFSET_SEC0_mask, 0xFFFF));
  WriteConfig(TILE_ROW_SET_MAPPING_0_row_set_mapping_0_WORD, 0);
  TTI(SETADCXX, .cnt_set_mask = ADC_PACK, .x_end2 = FACE_COLUMNS - 1);
}

GUEST_INLINE void PackConfigureMop(void) {
  // Address modes: 0 steps four rows; 1 ends the tile; 2 goes to the next face.
  TTI(SETC16, .setc16_reg = ADDR_MOD_PACK_SEC0_YsrcIncr_WORD,
      .setc16_value = 4 << ADDR_MOD_PACK_SEC0_YsrcIncr_LOW | 4 << ADDR_MOD_PACK_SEC0_YdstIncr_LOW);
  TTI(SETC16, .setc16_reg = ADDR_MOD_PACK_SEC1_YsrcIncr_WORD,
      .setc16_value = 1 << ADDR_MOD_PACK_SEC1_YsrcClear_LOW |
                      1 << ADDR_MOD_PACK_SEC1_YdstClear_LOW |
                      1 << ADDR_MOD_PACK_SEC1_ZsrcClear_LOW);
  TTI(SETC16, .setc16_reg = ADDR_MOD_PACK_SEC2_YsrcIncr_WORD,
      .setc16_value = 1 << ADDR_MOD_PACK_SEC2_YsrcClear_LOW | 4 << ADDR_MOD_PACK_SEC2_YdstIncr_LOW |
                      1 << ADDR_MOD_PACK_SEC2_ZsrcIncr_LOW);
  ConfigureMop((struct mop){.outer = TILE_FACES,
                            .inner = FACE_ROWS / 4,
                            .start = OP(NOP),
                            .end = OP(NOP),
                            .loop = OP(PACR, .addr_mode = 0),
                            .last_inner = OP(PACR, .addr_mode = 2),
                            .last_outer = OP(PACR, .addr_mode = 1, .last = 1)});
}

GUEST_INLINE void PackSelectHalf(u32 half) {
  TT(WRCFG, .gpr_address = half ? GPR_DEST_OFFSET_HI : GPR_DEST_OFFSET_LO, .wr128b = 1,
     .cfg_reg = DEST_TARGET_REG_CFG_PACK_SEC0_Offset_WORD);
  TTI(DMANOP);
  TTI(DMANOP);
}

// What every kernel starts with; in which order rows are packed is said before.
GUEST_INLINE struct packer PackStart(void) {
  PackConfigureFormats();
  TensixSync();
  // What was stored to configuration, too, before anything is packed.
  TTI(STALLWAIT, .stall_res = STALL_TDMA | STALL_THCON, .wait_res = WAIT_PACK | WAIT_TRISC_CFG);
  TTI(SETDMAREG, .reg_index_16b = 2 * GPR_DEST_OFFSET_LO, .payload_sig_sel = 0);
  TTI(SETDMAREG, .reg_index_16b = 2 * GPR_DEST_OFFSET_HI, .payload_sig_sel = DST_HALF_ROWS);
  TTI(STALLWAIT, .stall_res = STALL_CFG, .wait_res = WAIT_THCON);
  PackSelectHalf(0);
  TTI(SETADCXY, .cnt_set_mask = ADC_PACK, .bit_mask = 0xB);
  TTI(SETADCZW, .cnt_set_mask = ADC_PACK, .bit_mask = 0xF);
  return (struct packer){0};
}

// Tiles as they lie in Dst, row by row.
GUEST_INLINE struct packer PackInit(void) {
  PackConfigureStrides(1);
  PackConfigureMop();
  return PackStart();
}

// Where the next PACRs write, in units of 16 bytes. Bit 31 starts a new tile there. As with the
// unpacker, the packer skips a header.
GUEST_INLINE void PackSetAddress(u32 address) {
  const u32 target = address - 1;
  TT(SETDMAREG, .reg_index_16b = GprLow(GPR_OUTPUT_ADDR), .payload_sig_sel = target & 0x3FFF,
     .payload_sig_sel_size = target >> 14 & 3);
  TT(SETDMAREG, .reg_index_16b = GprHigh(GPR_OUTPUT_ADDR), .payload_sig_sel = target >> 16,
     .payload_sig_sel_size = 2);
  TTI(STALLWAIT, .stall_res = STALL_CFG, .wait_res = WAIT_THCON | WAIT_PACK);
  TTI(WRCFG, .gpr_address = GPR_OUTPUT_ADDR, .cfg_reg = THCON_SEC0_REG1_L1_Dest_addr_WORD);
  TT(SETDMAREG, .reg_index_16b = GprHigh(GPR_OUTPUT_ADDR), .payload_sig_sel = target >> 16);
  TTI(DMANOP);
}

// Waits until a circular buffer has room for some pages.
GUEST_INLINE void PackReservePages(u32 index, u32 pages) {
  const struct local_cb_interface* cb = LocalCb(index);
  while (cb->fifo_num_pages -
             ((cb->tiles_received - Read32(StreamRegister(index, STREAM_TILES_ACKED))) & 0xFFFF) <
         pages) {
  }
}

// Hands pages to the consumer when the packer has written them.
GUEST_INLINE void PackPushPages(u32 index, u32 pages) {
  struct local_cb_interface* cb = LocalCb(index);
  const u32 received = (cb->tiles_received + pages) & 0xFFFF;
  cb->tiles_received = received;
  TT(SETDMAREG, .reg_index_16b = GprLow(GPR_NUM_PAGES), .payload_sig_sel = received & 0x3FFF,
     .payload_sig_sel_size = received >> 14);
  TTI(STALLWAIT, .stall_res = STALL_THCON, .wait_res = WAIT_PACK);
  TT(STOREREG, .tdma_data_reg_index = GPR_NUM_PAGES,
     .reg_addr = (StreamRegister(index, STREAM_TILES_RECEIVED) & 0xFFFFF) >> 2);
  cb->fifo_wr_ptr += pages * cb->fifo_page_size;
  if (cb->fifo_wr_ptr >= cb->fifo_limit) cb->fifo_wr_ptr -= cb->fifo_size;
}

// Waits until the math thread has filled a half of Dst.
GUEST_INLINE void PackAcquireDst(void) {
  TTI(SEMWAIT, .stall_res = STALL_TDMA, .sem_sel = 1 << SEM_MATH_PACK,
      .wait_sem_cond = SEMWAIT_ON_ZERO);
}

// Clears the half of Dst that was packed and hands it back.
GUEST_INLINE void PackReleaseDst(struct packer* packer) {
  TTI(STALLWAIT, .stall_res = STALL_MATH, .wait_res = WAIT_PACK);
  TT(ZEROACC, .clear_mode = 2, .use_32_bit_mode = DST_IS_32BIT, .addr_mode = 1,
     .where = packer->half);
  TTI(SEMGET, .sem_sel = 1 << SEM_MATH_PACK);
  packer->half ^= 1;
  PackSelectHalf(packer->half);
}

// Waits for the math thread and for room, packs tile 0 of the current half of Dst and pushes it.
GUEST_INLINE void PackTile(struct packer* packer, u32 cb) {
  PackAcquireDst();
  PackReservePages(cb, 1);
  TTI(SETADC, .cnt_set_mask = ADC_PACK, .channel_index = 0, .dimension_index = 3, .value = 0);
  PackSetAddress(LocalCb(cb)->fifo_wr_ptr);
  TTI(MOP, .mop_type = 1);
  TTI(SETADCZW, .cnt_set_mask = ADC_PACK, .bit_mask = 5);
  PackReleaseDst(packer);
  PackPushPages(cb, 1);
}

GUEST_INLINE void PackTiles(struct packer* packer, u32 cb, u32 tiles) {
  for (; tiles != 0; --tiles) PackTile(packer, cb);
}
