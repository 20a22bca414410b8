// TRISC1: moves tiles from SrcA to Dst, and SFPU helpers. Dst is used in two halves, one of which
// TRISC2 packs while the other is filled.
//
// After tt-llk's llk_math_eltwise_unary_datacopy.h and llk_math_common.h for Blackhole.
#pragma once
#include "tensix.h"

enum { ADDR_MOD_COPY = 2, ADDR_MOD_STAY = 7 };

// Constant registers of the SFPU.
enum { SFPU_L0 = 0, SFPU_L1 = 1, SFPU_CONST_ONE = 10 };

enum { SFPU_BF16 = 2, SFPLOADI_HIGH = 8, SFPLOADI_LOW = 10 };

GUEST_INLINE void MathSelectHalf(u32 half) {
  TT(SETC16, .setc16_reg = DEST_TARGET_REG_CFG_MATH_Offset_WORD,
     .setc16_value = half * DST_HALF_ROWS);
}

// An address mode: what an instruction that names it does to the counters of SrcA and SrcB (word
// AB) and of Dst and the fidelity phase (word DST).
#define SET_ADDR_MOD(n, ab, dst)                                                         \
  TTI(SETC16, .setc16_reg = ADDR_MOD_AB_SEC##n##_SrcAIncr_WORD, .setc16_value = (ab));   \
  TTI(SETC16, .setc16_reg = ADDR_MOD_DST_SEC##n##_DestIncr_WORD, .setc16_value = (dst)); \
  TTI(SETC16, .setc16_reg = ADDR_MOD_BIAS_SEC##n##_BiasIncr_WORD, .setc16_value = 0)

// Whether rows of Dst lie so that the packer can read with a stride of 16 rows. Everything that was
// in Dst must have been packed.
GUEST_INLINE void MathRemapDst(u32 on) {
  TensixSync();
  while (SemaphoreRead(SEM_MATH_PACK) != 0) {
  }
  enum {
    REMAP = CONFIG_MASK(DEST_ACCESS_CFG_remap_addrs) | CONFIG_MASK(DEST_ACCESS_CFG_swizzle_32b)
  };
  ModifyConfig(DEST_ACCESS_CFG_remap_addrs_WORD, REMAP, on ? REMAP : 0);
}

// What every kernel starts with: counters at zero, all of Dst clear and ours. What the matrix unit
// does is said afterwards, and may be said anew between tiles.
GUEST_INLINE void MathStart(void) {
  SET_ADDR_MOD(1, 0, 0);
  SET_ADDR_MOD(7, 0, 0);
  TTI(SETC16, .setc16_reg = CLR_DVALID_SrcA_Disable_WORD, .setc16_value = 0);
  TTI(SETRWC, .bit_mask = 0xF);
  TensixSync();
  while (SemaphoreRead(SEM_MATH_PACK) != 0) {
  }
  TTI(ZEROACC, .clear_mode = 3, .addr_mode = 1);
  TTI(SEMINIT, .max_value = 2, .init_value = 0, .sem_sel = 1 << SEM_MATH_PACK);
  MathSelectHalf(0);
  LDM32(LDM_DEST_OFFSET_ID) = 0;
  TTI(STALLWAIT, .stall_res = STALL_CFG, .wait_res = WAIT_MATH);
  TTI(ATGETM, .mutex_index = MUTEX_REG_RMW);
  ModifyConfig(ALU_ACC_CTRL_INT8_math_enabled_WORD, CONFIG_MASK(ALU_ACC_CTRL_INT8_math_enabled),
               CONFIG_FIELD(ALU_ACC_CTRL_INT8_math_enabled, DST_FORMAT == FORMAT_INT32));
  TTI(ATRELM, .mutex_index = MUTEX_REG_RMW);
}

// SrcA to Dst, a tile a MOP: eight rows a move, face by face or all 64 rows at once as the unpacker
// has handed them over; then release both sources and rewind their counters. Moves to a 32-bit Dst
// know TF32 only, so there it is the sum with SrcB, which the unpacker has filled with zeroes. A
// move waits for SrcA alone, and SETRWC for nothing: without a wait for SrcB a bank could be given
// back that has not come yet.
GUEST_INLINE void CopyInitUnits(u32 units) {
  SET_ADDR_MOD(2, 8 | 8 << ADDR_MOD_AB_SEC0_SrcBIncr_LOW, 8);
  const u32 move = DST_IS_32BIT ? OP(ELWADD, .addr_mode = ADDR_MOD_COPY)
                                : OP(MOVA2D, .instr_mod = 2, .addr_mode = ADDR_MOD_COPY);
  const u32 wait =
      DST_IS_32BIT ? OP(NOP)
                   : OP(STALLWAIT, .stall_res = STALL_MATH, .wait_res = WAIT_MATH | WAIT_SRCB_VLD);
  ConfigureMop((struct mop){.outer = units,
                            .inner = TILE_FACES * FACE_ROWS / 8 / units,
                            .start = wait,
                            .end = OP(SETRWC, .clear_ab_vld = 3, .bit_mask = 3),
                            .loop = move,
                            .last_inner = move,
                            .last_outer = move});
}
GUEST_INLINE void CopyInit(void) {
  CopyInitUnits(TILE_FACES);
}

// Waits until a half of Dst is free.
GUEST_INLINE void MathAcquireDst(void) {
  TTI(SEMWAIT, .stall_res = STALL_MATH | STALL_SFPU | STALL_SYNC, .sem_sel = 1 << SEM_MATH_PACK,
      .wait_sem_cond = SEMWAIT_ON_MAX);
}

// The place of a tile in the current half of Dst, instead of tile 0.
GUEST_INLINE void MathSelectTile(u32 tile) {
  TT(SETC16, .setc16_reg = DEST_TARGET_REG_CFG_MATH_Offset_WORD,
     .setc16_value = LDM32(LDM_DEST_OFFSET_ID) * DST_HALF_ROWS + tile * TILE_FACES * FACE_ROWS);
}

// Lets the unpacker fill the current half and waits until it has.
GUEST_INLINE void MathAwaitUnpackToDst(void) {
  TTI(SEMPOST, .sem_sel = 1 << SEM_DST_IS_FREE);
  TTI(SEMWAIT, .stall_res = STALL_MATH | STALL_SFPU | STALL_SYNC, .sem_sel = 1 << SEM_UNPACK_TO_DST,
      .wait_sem_cond = SEMWAIT_ON_ZERO);
  TTI(SEMGET, .sem_sel = 1 << SEM_UNPACK_TO_DST);
}

// SrcA to tile 0 of the current half, or to the one that was selected.
GUEST_INLINE void MathCopyTile(void) {
  TTI(MOP, .mop_type = 1);
  TTI(SETRWC, .bit_mask = 4);
}

// Hands the current half to TRISC2 and goes on with the other.
GUEST_INLINE void MathReleaseDst(void) {
  TTI(STALLWAIT, .stall_res = STALL_SYNC, .wait_res = WAIT_MATH | WAIT_SFPU);
  TTI(SEMPOST, .sem_sel = 1 << SEM_MATH_PACK);
  const u32 half = LDM32(LDM_DEST_OFFSET_ID) ^ 1;
  LDM32(LDM_DEST_OFFSET_ID) = half;
  TTI(STALLWAIT, .stall_res = STALL_CFG, .wait_res = WAIT_MATH | WAIT_SFPU);
  MathSelectHalf(half);
}

// Loads an f32 that is not a constant into all lanes of a register.
GUEST_INLINE void SfpuLoadScalar(u32 lreg, u32 f32_bits) {
  TT(SFPLOADI, .lreg_ind = lreg, .instr_mod0 = SFPLOADI_LOW, .imm16 = f32_bits & 0xFFFF);
  TT(SFPLOADI, .lreg_ind = lreg, .instr_mod0 = SFPLOADI_HIGH, .imm16 = f32_bits >> 16);
}
