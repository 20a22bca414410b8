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

// SrcA to Dst, a tile a MOP. Per face: two moves of eight rows, then release both sources and
// rewind their counters. Moves to a 32-bit Dst know TF32 only, so there it is the sum with SrcB,
// which the unpacker has filled with zeroes.
GUEST_INLINE void CopyInit(void) {
  SET_ADDR_MOD(2, 8 | 8 << ADDR_MOD_AB_SEC0_SrcBIncr_LOW, 8);
  const u32 move = DST_IS_32BIT ? OP(ELWADD, .addr_mode = ADDR_MOD_COPY)
                                : OP(MOVA2D, .instr_mod = 2, .addr_mode = ADDR_MOD_COPY);
  ConfigureMop((struct mop){.outer = TILE_FACES,
                            .inner = 2,
                            .start = OP(NOP),
                            .end = OP(SETRWC, .clear_ab_vld = 3, .bit_mask = 3),
                            .loop = move,
                            .last_inner = move,
                            .last_outer = move});
}

// Waits until a half of Dst is free.
GUEST_INLINE void MathAcquireDst(void) {
  TTI(SEMWAIT, .stall_res = STALL_MATH | STALL_SFPU | STALL_SYNC, .sem_sel = 1 << SEM_MATH_PACK,
      .wait_sem_cond = SEMWAIT_ON_MAX);
}

// SrcA to tile 0 of the current half.
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

// Loads an f32 into all lanes of L1.
GUEST_INLINE void SfpuLoadScalar(u32 f32_bits) {
  TT(SFPLOADI, .lreg_ind = SFPU_L1, .instr_mod0 = SFPLOADI_LOW, .imm16 = f32_bits & 0xFFFF);
  TT(SFPLOADI, .lreg_ind = SFPU_L1, .instr_mod0 = SFPLOADI_HIGH, .imm16 = f32_bits >> 16);
}

// Adds L1 to tile 0 of the current half. An access covers four rows, even or odd columns.
GUEST_INLINE void SfpuAddScalarTile(void) {
  // Moves of the FPU must have landed in Dst before the SFPU loads from it.
  TTI(STALLWAIT, .stall_res = STALL_SFPU, .wait_res = WAIT_MATH);
  for (u32 row = 0; row < TILE_FACES * FACE_ROWS; row += 2) {
    TT(SFPLOAD, .lreg_ind = SFPU_L0, .instr_mod0 = SFPU_BF16, .sfpu_addr_mode = ADDR_MOD_STAY,
       .dest_reg_addr = row);
    TTI(SFPADD, .lreg_src_a = SFPU_CONST_ONE, .lreg_src_b = SFPU_L0, .lreg_src_c = SFPU_L1,
        .lreg_dest = SFPU_L0);
    TTI(SFPNOP);  // an SFPADD takes two cycles
    TT(SFPSTORE, .lreg_ind = SFPU_L0, .instr_mod0 = SFPU_BF16, .sfpu_addr_mode = ADDR_MOD_STAY,
       .dest_reg_addr = row);
  }
}
