// TRISC1: the vector unit on tile 0 of the current half of Dst.
#pragma once
#include "tile_math.h"

enum { SFPU_L2 = 2, SFPU_L3 = 3, SFPU_L4 = 4, SFPU_CONST_ZERO = 9 };

// How the unit sees a datum of Dst.
enum { SFPU_DST_MODE = DST_IS_32BIT ? 3 : SFPU_BF16 };

// Loads four rows at a time, even or odd columns, to L0, runs the statements on them and stores L0.
#define SFPU_TILE(...)                                                                             \
  TTI(STALLWAIT, .stall_res = STALL_SFPU, .wait_res = WAIT_MATH);                                  \
  for (u32 row = 0; row < TILE_FACES * FACE_ROWS; row += 2) {                                      \
    TT(SFPLOAD, .lreg_ind = SFPU_L0, .instr_mod0 = SFPU_DST_MODE, .sfpu_addr_mode = ADDR_MOD_STAY, \
       .dest_reg_addr = row);                                                                      \
    __VA_ARGS__;                                                                                   \
    TT(SFPSTORE, .lreg_ind = SFPU_L0, .instr_mod0 = SFPU_DST_MODE,                                 \
       .sfpu_addr_mode = ADDR_MOD_STAY, .dest_reg_addr = row);                                     \
  }

// An f32 into all lanes of a register. Both must be constants.
GUEST_INLINE void SfpuLoadConstant(u32 lreg, u32 f32_bits) {
  TTI(SFPLOADI, .lreg_ind = lreg, .instr_mod0 = SFPLOADI_LOW, .imm16 = f32_bits & 0xFFFF);
  TTI(SFPLOADI, .lreg_ind = lreg, .instr_mod0 = SFPLOADI_HIGH, .imm16 = f32_bits >> 16);
}
