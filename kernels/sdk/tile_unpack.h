// TRISC0: unpacks 32x32 tiles (four faces of 16x16) from a circular buffer to SrcA.
//
// The settings are those that tt-llk's unary unpack makes on Blackhole (llk_unpack_A.h,
// cunpack_common.h); each is named here by its configuration field.
#pragma once
#include "cb.h"
#include "tensix.h"

enum { GPR_UNPACK_TMP = 4 };

struct unpacker {
  u32 context;  // configuration context of the next unpack: 0 or 1
};

GUEST_INLINE void UnpackConfigureAlu(void) {
  TTI(ATGETM, .mutex_index = MUTEX_REG_RMW);
  // Formats are implied by the data; where a thread disables that, TF32 holds for SrcA.
  ModifyConfig(ALU_FORMAT_SPEC_REG_SrcA_val_WORD,
               CONFIG_MASK(ALU_FORMAT_SPEC_REG_SrcA_val) |
                   CONFIG_MASK(ALU_FORMAT_SPEC_REG_SrcA_override) |
                   CONFIG_MASK(ALU_FORMAT_SPEC_REG_SrcB_val) |
                   CONFIG_MASK(ALU_FORMAT_SPEC_REG_SrcB_override) |
                   CONFIG_MASK(ALU_FORMAT_SPEC_REG_Dstacc_val) |
                   CONFIG_MASK(ALU_FORMAT_SPEC_REG_Dstacc_override),
               CONFIG_FIELD(ALU_FORMAT_SPEC_REG_SrcA_val, FORMAT_TF32) |
                   CONFIG_FIELD(ALU_FORMAT_SPEC_REG_SrcA_override, 1));
  // No stochastic rounding, no unsigned sources; Dst of 16 or 32 bits.
  ModifyConfig(
      ALU_ROUNDING_MODE_Fpu_srnd_en_WORD,
      CONFIG_MASK(ALU_ROUNDING_MODE_Fpu_srnd_en) | CONFIG_MASK(ALU_ROUNDING_MODE_Gasket_srnd_en) |
          CONFIG_MASK(ALU_ROUNDING_MODE_Packer_srnd_en) |
          CONFIG_MASK(ALU_FORMAT_SPEC_REG0_SrcAUnsigned) |
          CONFIG_MASK(ALU_FORMAT_SPEC_REG0_SrcBUnsigned) | CONFIG_MASK(ALU_ACC_CTRL_Fp32_enabled) |
          CONFIG_MASK(ALU_ACC_CTRL_SFPU_Fp32_enabled),
      CONFIG_FIELD(ALU_ACC_CTRL_Fp32_enabled, DST_IS_32BIT) |
          CONFIG_FIELD(ALU_ACC_CTRL_SFPU_Fp32_enabled, DST_IS_32BIT));
  TTI(ATRELM, .mutex_index = MUTEX_REG_RMW);
}

// Denormals pass the FPU's moves unchanged; its arithmetic must read them as zero.
GUEST_INLINE void UnpackKeepDenormals(u32 keep) {
  TTI(ATGETM, .mutex_index = MUTEX_REG_RMW);
  ModifyConfig(ALU_ACC_CTRL_Zero_Flag_disabled_src_WORD,
               CONFIG_MASK(ALU_ACC_CTRL_Zero_Flag_disabled_src), keep);
  TTI(ATRELM, .mutex_index = MUTEX_REG_RMW);
}

GUEST_INLINE void UnpackConfigureFormats(void) {
  // Tile descriptor, word 0: format in L1, bit 4 "not compressed", x size above; word 1: y and z.
  const u32 descriptor = FORMAT_CODE(IN_FORMAT) | 1 << 4;
  const u32 y_and_z = 1 | TILE_FACES << 16;
  WriteConfig(THCON_SEC0_REG0_TileDescriptor_WORD, descriptor);
  WriteConfig(THCON_SEC0_REG0_TileDescriptor_WORD + 1, y_and_z);
  WriteConfig(THCON_SEC1_REG0_TileDescriptor_WORD, descriptor | FACE_SIZE << 16);
  WriteConfig(THCON_SEC1_REG0_TileDescriptor_WORD + 1, y_and_z);

  const u32 out = CONFIG_FIELD(THCON_SEC0_REG2_Out_data_format, FORMAT_CODE(SRC_FORMAT)) |
                  CONFIG_FIELD(THCON_SEC0_REG2_Throttle_mode, 2);
  const u32 uncompressed = CONFIG_FIELD(THCON_SEC0_REG2_Disable_zero_compress_cntx0, 0xF) |
                           CONFIG_FIELD(THCON_SEC0_REG2_Disable_zero_compress_cntx4, 0xF);
  WriteConfig(THCON_SEC0_REG2_Out_data_format_WORD, out);
  WriteConfig(THCON_SEC0_REG2_Disable_zero_compress_cntx0_WORD, uncompressed);
  WriteConfig(THCON_SEC1_REG2_Out_data_format_WORD, out);
  WriteConfig(THCON_SEC1_REG2_Disable_zero_compress_cntx0_WORD, uncompressed);

  const u32 e4m3 = IN_FORMAT == FORMAT_FP8_E4M3;
  ModifyConfig(THCON_SEC0_REG1_Unp_LF8_4b_exp_WORD, CONFIG_MASK(THCON_SEC0_REG1_Unp_LF8_4b_exp),
               CONFIG_FIELD(THCON_SEC0_REG1_Unp_LF8_4b_exp, e4m3));
  ModifyConfig(THCON_SEC1_REG1_Unp_LF8_4b_exp_WORD, CONFIG_MASK(THCON_SEC1_REG1_Unp_LF8_4b_exp),
               CONFIG_FIELD(THCON_SEC1_REG1_Unp_LF8_4b_exp, e4m3));

  // In the register file a face is 256 data of 2 bytes further than the one before it.
  WriteConfig(UNP0_ADDR_CTRL_ZW_REG_1_Zstride_WORD,
              CONFIG_FIELD(UNP0_ADDR_CTRL_ZW_REG_1_Zstride, 2 * FACE_SIZE));
  WriteConfig(UNP1_ADDR_CTRL_ZW_REG_1_Zstride_WORD,
              CONFIG_FIELD(UNP1_ADDR_CTRL_ZW_REG_1_Zstride, 2 * FACE_SIZE));
  // SrcA's first data row is row 4 (16 bytes each here), and the counters add to it.
  WriteConfig(THCON_SEC0_REG5_Dest_cntx0_address_WORD,
              CONFIG_FIELD(THCON_SEC0_REG5_Dest_cntx0_address, 4 * 16) |
                  CONFIG_FIELD(THCON_SEC0_REG5_Dest_cntx1_address, 4 * 16));
  WriteConfig(THCON_SEC0_REG5_Tile_x_dim_cntx0_WORD,
              CONFIG_FIELD(THCON_SEC0_REG5_Tile_x_dim_cntx0, FACE_SIZE) |
                  CONFIG_FIELD(THCON_SEC0_REG5_Tile_x_dim_cntx1, FACE_SIZE));
  WriteConfig(UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr_WORD,
              CONFIG_FIELD(UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr, 1));
}

// Whether unpacker 0 exchanges rows and columns of each face that it writes to SrcA.
GUEST_INLINE void UnpackTransposeFaces(u32 transpose) {
  TTI(STALLWAIT, .stall_res = STALL_CFG, .wait_res = WAIT_TRISC_CFG | WAIT_UNPACK0);
  ModifyConfig(THCON_SEC0_REG2_Haloize_mode_WORD, CONFIG_MASK(THCON_SEC0_REG2_Haloize_mode),
               CONFIG_FIELD(THCON_SEC0_REG2_Haloize_mode, transpose));
}

// What every kernel starts with; what is unpacked from where is said afterwards.
GUEST_INLINE struct unpacker UnpackStart(void) {
  TTI(ZEROSRC, .src_mask = 3, .bank_mask = 1);
  while (SemaphoreRead(SEM_UNPACK_SYNC) != 0) {
  }
  TTI(SETADCXY, .cnt_set_mask = ADC_UNPACK0 | ADC_UNPACK1, .bit_mask = 0xB);
  TTI(SETADCZW, .cnt_set_mask = ADC_UNPACK0 | ADC_UNPACK1, .bit_mask = 0xF);
  UnpackConfigureAlu();
  UnpackConfigureFormats();
  TTI(SETADCXX, .cnt_set_mask = ADC_UNPACK0 | ADC_UNPACK1, .x_end2 = FACE_SIZE - 1);
  TTI(SETC16, .setc16_reg = SRCA_SET_Base_WORD, .setc16_value = 1 << SRCA_SET_SetOvrdWithAddr_LOW);
  TTI(SETC16, .setc16_reg = UNPACK_MISC_CFG_CfgContextOffset_0_WORD, .setc16_value = 0);
  return (struct unpacker){0};
}

// What goes to SrcA with each run of the MOP, in one or four parts: unpack (and step to the next
// face), and mark SrcB valid, which the FPU's moves do not read but their SETRWC releases.
GUEST_INLINE void UnpackMop(u32 parts) {
  const u32 srca = OP(UNPACR, .unpack_block_selection = 0, .addr_mode = 1, .ovrd_thread_id = 1,
                      .set_dat_valid = 1, .last = 1);
  const u32 srcb = OP(UNPACR_NOP, .unpacker_select = 1, .set_dvalid = 1, .unpack_pop = 1);
  ConfigureMop((struct mop){.outer = parts,
                            .inner = 1,
                            .start = srca,
                            .end = OP(NOP),
                            .loop = srcb,
                            .last_inner = srcb,
                            .last_outer = srcb});
}

// Tiles to SrcA.
GUEST_INLINE struct unpacker UnpackInit(void) {
  const struct unpacker unpacker = UnpackStart();
  UnpackKeepDenormals(1);
  UnpackMop(TILE_FACES);
  return unpacker;
}

// Waits until a circular buffer has some pages that this core has not given back.
GUEST_INLINE void UnpackWaitPages(u32 index, u32 pages) {
  const struct local_cb_interface* cb = LocalCb(index);
  while (((Read32(StreamRegister(index, STREAM_TILES_RECEIVED)) - cb->tiles_acked) & 0xFFFF) <
         pages) {
  }
}

// Where a page is that was waited for, counted from the oldest, in units of 16 bytes.
GUEST_INLINE u32 UnpackPageAddress(u32 index, u32 page) {
  const struct local_cb_interface* cb = LocalCb(index);
  const u32 address = cb->fifo_rd_ptr + page * cb->fifo_page_size;
  return address < cb->fifo_limit ? address : address - cb->fifo_size;
}

// Gives pages back to their producer when the unpackers have read them.
GUEST_INLINE void UnpackPopPages(u32 index, u32 pages) {
  struct local_cb_interface* cb = LocalCb(index);
  const u32 acked = (cb->tiles_acked + pages) & 0xFFFF;
  cb->tiles_acked = acked;
  TT(SETDMAREG, .payload_sig_sel = acked & 0x3FFF, .payload_sig_sel_size = acked >> 14,
     .reg_index_16b = GprLow(GPR_UNPACK_TMP));
  TTI(STALLWAIT, .stall_res = STALL_THCON, .wait_res = WAIT_UNPACK0 | WAIT_UNPACK1);
  TT(STOREREG, .tdma_data_reg_index = GPR_UNPACK_TMP,
     .reg_addr = (StreamRegister(index, STREAM_TILES_ACKED) & 0xFFFFF) >> 2);
  cb->fifo_rd_ptr = UnpackPageAddress(index, pages);
}

// Waits for a free one of the two contexts: an unpack can be prepared while the one before it runs.
GUEST_INLINE void UnpackWaitContext(void) {
  TTI(SETADCZW, .cnt_set_mask = ADC_UNPACK0 | ADC_UNPACK1, .bit_mask = 0xF);
  while (SemaphoreRead(SEM_UNPACK_SYNC) >= 2) {
  }
}

// Runs the MOP with the addresses that were written for this context.
GUEST_INLINE void UnpackRun(struct unpacker* unpacker) {
  SemaphorePost(SEM_UNPACK_SYNC);
  TTI(STALLWAIT, .stall_res = STALL_UNPACK, .wait_res = WAIT_TRISC_CFG);
  TTI(MOP, .mop_type = 1);
  TTI(SEMGET, .sem_sel = 1 << SEM_UNPACK_SYNC);
  unpacker->context ^= 1;
  TT(SETC16, .setc16_reg = UNPACK_MISC_CFG_CfgContextOffset_0_WORD,
     .setc16_value = 0x101 * unpacker->context);
}

// Unpacks what lies at an address with unpacker 0.
GUEST_INLINE void UnpackAt(struct unpacker* unpacker, u32 address) {
  UnpackWaitContext();
  // The unpacker skips a tile header of 16 bytes, which these tiles do not have.
  WriteConfig(THCON_SEC0_REG3_Base_address_WORD + unpacker->context, address - 1);
  UnpackRun(unpacker);
}

// Waits for a page, unpacks it and gives it back to the producer.
GUEST_INLINE void UnpackTile(struct unpacker* unpacker, u32 cb) {
  UnpackWaitPages(cb, 1);
  UnpackAt(unpacker, UnpackPageAddress(cb, 0));
  UnpackPopPages(cb, 1);
}
