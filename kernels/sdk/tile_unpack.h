// TRISC0: unpacks 32x32 tiles of bf16 (four faces of 16x16) from a circular buffer to SrcA.
//
// The settings are those that tt-llk's unary unpack makes on Blackhole (llk_unpack_A.h,
// cunpack_common.h); each is named here by its configuration field.
#pragma once
#include "cb.h"
#include "tensix.h"

enum { GPR_UNPACK_TMP = 4 };

struct unpacker {
  u32 cb;
  u32 context;   // configuration context of the next unpack: 0 or 1
  u32 consumed;  // pages taken so far
};

GUEST_INLINE void UnpackConfigureAlu(void) {
  TTI(ATGETM, .mutex_index = MUTEX_REG_RMW);
  // Formats are implied by the data: no override of any.
  ModifyConfig(ALU_FORMAT_SPEC_REG_SrcA_val_WORD,
               CONFIG_MASK(ALU_FORMAT_SPEC_REG_SrcA_val) |
                   CONFIG_MASK(ALU_FORMAT_SPEC_REG_SrcA_override) |
                   CONFIG_MASK(ALU_FORMAT_SPEC_REG_SrcB_val) |
                   CONFIG_MASK(ALU_FORMAT_SPEC_REG_SrcB_override) |
                   CONFIG_MASK(ALU_FORMAT_SPEC_REG_Dstacc_val) |
                   CONFIG_MASK(ALU_FORMAT_SPEC_REG_Dstacc_override),
               0);
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
  // Denormals pass the FPU's moves unchanged.
  ModifyConfig(ALU_ACC_CTRL_Zero_Flag_disabled_src_WORD,
               CONFIG_MASK(ALU_ACC_CTRL_Zero_Flag_disabled_src), 1);
  TTI(ATRELM, .mutex_index = MUTEX_REG_RMW);
}

GUEST_INLINE void UnpackConfigureFormats(void) {
  // Tile descriptor, word 0: format in L1, bit 4 "not compressed", x size above; word 1: y and z.
  const u32 descriptor = IN_FORMAT | 1 << 4;
  const u32 y_and_z = 1 | TILE_FACES << 16;
  WriteConfig(THCON_SEC0_REG0_TileDescriptor_WORD, descriptor);
  WriteConfig(THCON_SEC0_REG0_TileDescriptor_WORD + 1, y_and_z);
  WriteConfig(THCON_SEC1_REG0_TileDescriptor_WORD, descriptor | FACE_SIZE << 16);
  WriteConfig(THCON_SEC1_REG0_TileDescriptor_WORD + 1, y_and_z);

  const u32 out = CONFIG_FIELD(THCON_SEC0_REG2_Out_data_format, SRC_FORMAT) |
                  CONFIG_FIELD(THCON_SEC0_REG2_Throttle_mode, 2);
  const u32 uncompressed = CONFIG_FIELD(THCON_SEC0_REG2_Disable_zero_compress_cntx0, 0xF) |
                           CONFIG_FIELD(THCON_SEC0_REG2_Disable_zero_compress_cntx4, 0xF);
  WriteConfig(THCON_SEC0_REG2_Out_data_format_WORD, out);
  WriteConfig(THCON_SEC0_REG2_Disable_zero_compress_cntx0_WORD, uncompressed);
  WriteConfig(THCON_SEC1_REG2_Out_data_format_WORD, out);
  WriteConfig(THCON_SEC1_REG2_Disable_zero_compress_cntx0_WORD, uncompressed);

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

// Unpacker 0 exchanges rows and columns of each face that it writes to SrcA.
GUEST_INLINE void UnpackTransposeFaces(void) {
  TTI(STALLWAIT, .stall_res = STALL_CFG, .wait_res = WAIT_TRISC_CFG | WAIT_UNPACK0);
  ModifyConfig(THCON_SEC0_REG2_Haloize_mode_WORD, CONFIG_MASK(THCON_SEC0_REG2_Haloize_mode),
               CONFIG_FIELD(THCON_SEC0_REG2_Haloize_mode, 1));
}

GUEST_INLINE struct unpacker UnpackInit(u32 cb) {
  TTI(ZEROSRC, .src_mask = 3, .bank_mask = 1);
  while (SemaphoreRead(SEM_UNPACK_SYNC) != 0) {
  }
  TTI(SETADCXY, .cnt_set_mask = ADC_UNPACK0 | ADC_UNPACK1, .bit_mask = 0xB);
  TTI(SETADCZW, .cnt_set_mask = ADC_UNPACK0 | ADC_UNPACK1, .bit_mask = 0xF);
  UnpackConfigureAlu();
  UnpackConfigureFormats();
  TTI(SETADCXX, .cnt_set_mask = ADC_UNPACK0, .x_end2 = FACE_SIZE - 1);
  TTI(SETADCXX, .cnt_set_mask = ADC_UNPACK1, .x_end2 = FACE_SIZE - 1);
  TTI(SETC16, .setc16_reg = SRCA_SET_Base_WORD, .setc16_value = 1 << SRCA_SET_SetOvrdWithAddr_LOW);
  TTI(SETC16, .setc16_reg = UNPACK_MISC_CFG_CfgContextOffset_0_WORD, .setc16_value = 0);
  // Per face: unpack to SrcA (and step to the next face), and mark SrcB valid, which the FPU's
  // moves do not read but their SETRWC releases.
  const u32 srca = OP(UNPACR, .unpack_block_selection = 0, .addr_mode = 1, .ovrd_thread_id = 1,
                      .set_dat_valid = 1, .last = 1);
  const u32 srcb = OP(UNPACR_NOP, .unpacker_select = 1, .set_dvalid = 1, .unpack_pop = 1);
  ConfigureMop((struct mop){.outer = TILE_FACES,
                            .inner = 1,
                            .start = srca,
                            .end = OP(NOP),
                            .loop = srcb,
                            .last_inner = srcb,
                            .last_outer = srcb});
  return (struct unpacker){cb, 0, 0};
}

// Waits for a page, unpacks it and gives it back to the producer.
GUEST_INLINE void UnpackTile(struct unpacker* unpacker) {
  struct local_cb_interface* cb = LocalCb(unpacker->cb);
  while ((Read32(StreamRegister(unpacker->cb, STREAM_TILES_RECEIVED)) & 0xFFFF) ==
         unpacker->consumed) {
  }
  TTI(SETADCZW, .cnt_set_mask = ADC_UNPACK0 | ADC_UNPACK1, .bit_mask = 0xF);
  // Two contexts: an unpack can be prepared while the one before it runs.
  while (SemaphoreRead(SEM_UNPACK_SYNC) >= 2) {
  }
  // The unpacker skips a tile header of 16 bytes, which these tiles do not have.
  WriteConfig(THCON_SEC0_REG3_Base_address_WORD + unpacker->context, cb->fifo_rd_ptr - 1);
  SemaphorePost(SEM_UNPACK_SYNC);
  TTI(STALLWAIT, .stall_res = STALL_UNPACK, .wait_res = WAIT_TRISC_CFG);
  TTI(MOP, .mop_type = 1);
  TTI(SEMGET, .sem_sel = 1 << SEM_UNPACK_SYNC);
  unpacker->context ^= 1;
  TT(SETC16, .setc16_reg = UNPACK_MISC_CFG_CfgContextOffset_0_WORD,
     .setc16_value = 0x101 * unpacker->context);

  unpacker->consumed = (unpacker->consumed + 1) & 0xFFFF;
  TT(SETDMAREG, .payload_sig_sel = unpacker->consumed & 0x3FFF,
     .payload_sig_sel_size = unpacker->consumed >> 14, .reg_index_16b = GprLow(GPR_UNPACK_TMP));
  TTI(STALLWAIT, .stall_res = STALL_THCON, .wait_res = WAIT_UNPACK0 | WAIT_UNPACK1);
  TT(STOREREG, .tdma_data_reg_index = GPR_UNPACK_TMP,
     .reg_addr = (StreamRegister(unpacker->cb, STREAM_TILES_ACKED) & 0xFFFFF) >> 2);
  cb->fifo_rd_ptr += cb->fifo_page_size;
  if (cb->fifo_rd_ptr >= cb->fifo_limit) cb->fifo_rd_ptr -= cb->fifo_size;
}
