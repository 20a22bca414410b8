// TRISC1: the vector unit on tile 0 of the current half of Dst.
#pragma once
#include "tile_math.h"

enum {
  SFPU_L2 = 2,
  SFPU_L3 = 3,
  SFPU_L4 = 4,
  SFPU_L5 = 5,
  SFPU_L6 = 6,
  SFPU_L7 = 7,
  SFPU_CONST_ZERO = 9,
  SFPU_L11 = 11,  // constants, set by SFPCONFIG
  SFPU_L12 = 12,
  SFPU_L13 = 13,
  SFPU_L14 = 14
};

enum { SFPMAD_NEGATE_A = 1, SFPMAD_NEGATE_C = 2 };

// How the unit sees a datum of Dst. A kernel may define how it loads and stores before it includes
// this.
enum { SFPU_FP32 = 3, SFPU_INT32 = 4, SFPU_UINT16 = 6 };
enum { SFPU_DST_MODE = DST_IS_32BIT ? SFPU_FP32 : SFPU_BF16 };
#ifndef SFPU_LOAD_MODE
#define SFPU_LOAD_MODE SFPU_DST_MODE
#endif
#ifndef SFPU_STORE_MODE
#define SFPU_STORE_MODE SFPU_DST_MODE
#endif

// Loads four rows, even or odd columns, to a register, runs the statements and stores it.
#define SFPU_FOUR_ROWS(lreg, row, ...)                                                             \
  TT(SFPLOAD, .lreg_ind = (lreg), .instr_mod0 = SFPU_LOAD_MODE, .sfpu_addr_mode = ADDR_MOD_STAY,   \
     .dest_reg_addr = (row));                                                                      \
  __VA_ARGS__;                                                                                     \
  TT(SFPSTORE, .lreg_ind = (lreg), .instr_mod0 = SFPU_STORE_MODE, .sfpu_addr_mode = ADDR_MOD_STAY, \
     .dest_reg_addr = (row))

// Runs the statements on all of the tile.
#define SFPU_TILE_IN(lreg, ...)                                   \
  TTI(STALLWAIT, .stall_res = STALL_SFPU, .wait_res = WAIT_MATH); \
  for (u32 row = 0; row < TILE_FACES * FACE_ROWS; row += 2) {     \
    SFPU_FOUR_ROWS(lreg, row, __VA_ARGS__);                       \
  }
#define SFPU_TILE(...) SFPU_TILE_IN(SFPU_L0, __VA_ARGS__)

// Runs the statements on L0, for the even columns of the left faces: all of it that counts where
// the tile is a column.
#define SFPU_COLUMN(...)                                                                    \
  TTI(STALLWAIT, .stall_res = STALL_SFPU, .wait_res = WAIT_MATH);                           \
  for (u32 row = 0; row < 3 * FACE_ROWS; row += row == FACE_ROWS - 4 ? FACE_ROWS + 4 : 4) { \
    SFPU_FOUR_ROWS(SFPU_L0, row, __VA_ARGS__);                                              \
  }

// An f32 into all lanes of a register. Both must be constants.
GUEST_INLINE void SfpuLoadConstant(u32 lreg, u32 f32_bits) {
  TTI(SFPLOADI, .lreg_ind = lreg, .instr_mod0 = SFPLOADI_LOW, .imm16 = f32_bits & 0xFFFF);
  TTI(SFPLOADI, .lreg_ind = lreg, .instr_mod0 = SFPLOADI_HIGH, .imm16 = f32_bits >> 16);
}

// The same into L11 to L14, by way of L0.
GUEST_INLINE void SfpuSetConstant(u32 lreg, u32 f32_bits) {
  SfpuLoadConstant(SFPU_L0, f32_bits);
  TTI(SFPNOP);  // SFPCONFIG does not wait for L0
  TTI(SFPCONFIG, .config_dest = lreg);
}

// to = a * b + c, to = a * b, to = a + b. Two cycles each.
GUEST_INLINE void SfpuMultiplyAdd(u32 a, u32 b, u32 c, u32 to, u32 negate) {
  TTI(SFPMAD, .lreg_src_a = a, .lreg_src_b = b, .lreg_src_c = c, .lreg_dest = to,
      .instr_mod1 = negate);
  TTI(SFPNOP);
}
GUEST_INLINE void SfpuMultiply(u32 a, u32 b, u32 to) {
  TTI(SFPMUL, .lreg_src_a = a, .lreg_src_b = b, .lreg_src_c = SFPU_CONST_ZERO, .lreg_dest = to);
  TTI(SFPNOP);
}
GUEST_INLINE void SfpuAdd(u32 a, u32 b, u32 to) {
  TTI(SFPADD, .lreg_src_a = SFPU_CONST_ONE, .lreg_src_b = a, .lreg_src_c = b, .lreg_dest = to);
  TTI(SFPNOP);
}
