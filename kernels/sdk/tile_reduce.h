// TRISC1: pools tiles with the matrix unit, over rows, columns or everything. SrcA has the tiles
// (faces transposed to pool over rows), SrcB the weights: a tile with the same number in the first
// row of every face and zeroes elsewhere. The results are the first row, the first column or the
// first datum of tile 0 of the current half of Dst; the rest of it means nothing and may be masked
// when it is packed.
//
// After tt-llk's llk_math_reduce.h for Blackhole.
#pragma once
#include "reduce_extent.h"
#include "tile_fpu.h"

enum pool { POOL_SUM, POOL_LARGEST };

enum { POOL_FACE_ROWS = 16, POOL_LOWER_FACES = 32, POOL_SCRATCH_ROW = 4, SRCB_SCRATCH = 16 };
enum { MOVB2D_4_ROWS = 4, MOVD2B_1_ROW = 0, MOVB2A_4_ROWS = 2 };

GUEST_INLINE void ReduceInit(void) {
  SET_ADDR_MOD(0, 0, PHASE_CLEAR);
  SET_ADDR_MOD(2, 0, PHASE_NEXT);
}

// Sums take two phases: the upper and the lower bits of SrcA times the upper ones of the weights.
#define POOL_FACE(pool, row, release)                                                              \
  do {                                                                                             \
    if ((pool) == POOL_SUM) {                                                                      \
      TTI(GAPOOL, .dst = (row), .pool_addr_mode = 2, .instr_mod19 = 1);                            \
      TTI(GAPOOL, .dst = (row), .pool_addr_mode = 0, .instr_mod19 = 1, .clear_dvalid = (release)); \
    } else {                                                                                       \
      TTI(GMPOOL, .dst = (row), .pool_addr_mode = 0, .instr_mod19 = 1, .clear_dvalid = (release)); \
    }                                                                                              \
  } while (0)

// One tile more. The last pair of banks is kept where its SrcB serves to transpose the results.
GUEST_INLINE void ReduceTile(enum pool pool, enum reduce_extent extent, u32 is_last) {
  if (extent == REDUCE_COLUMNS) {
    POOL_FACE(pool, 0, CLEAR_AB);
    POOL_FACE(pool, POOL_FACE_ROWS, CLEAR_AB);
    POOL_FACE(pool, 0, CLEAR_AB);
    POOL_FACE(pool, POOL_FACE_ROWS, CLEAR_AB);
    return;
  }
  const u32 all = extent == REDUCE_ALL;
  POOL_FACE(pool, all ? POOL_SCRATCH_ROW : 0, CLEAR_AB);
  POOL_FACE(pool, all ? POOL_SCRATCH_ROW : 0, CLEAR_AB);
  POOL_FACE(pool, all ? POOL_SCRATCH_ROW : POOL_LOWER_FACES, CLEAR_AB);
  if (is_last) {
    POOL_FACE(pool, all ? POOL_SCRATCH_ROW : POOL_LOWER_FACES, 0);
  } else {
    POOL_FACE(pool, all ? POOL_SCRATCH_ROW : POOL_LOWER_FACES, CLEAR_AB);
  }
}

// A row of Dst becomes a column of SrcB's rows 16 to 31, the ones that TRNSPSRCB works on.
#define TRANSPOSE_DST_ROW(row)                                               \
  TTI(MOVD2B, .dst = (row), .instr_mod = MOVD2B_1_ROW, .src = SRCB_SCRATCH); \
  TTI(TRNSPSRCB)

#define DST_COLUMN(row)                                                                      \
  TTI(MOVB2D, .dst = (row), .movb2d_instr_mod = MOVB2D_4_ROWS, .src = SRCB_SCRATCH);         \
  TTI(MOVB2D, .dst = (row) + 4, .movb2d_instr_mod = MOVB2D_4_ROWS, .src = SRCB_SCRATCH + 4); \
  TTI(MOVB2D, .dst = (row) + 8, .movb2d_instr_mod = MOVB2D_4_ROWS, .src = SRCB_SCRATCH + 8); \
  TTI(MOVB2D, .dst = (row) + 12, .movb2d_instr_mod = MOVB2D_4_ROWS, .src = SRCB_SCRATCH + 12)

// Moves between Dst and SrcB go by the format of the data in SrcB, bf16 say, of which a 32-bit Dst
// knows nothing. Without implied formats they go by the configured one, which is TF32.
GUEST_INLINE void ReduceMovesAreTf32(u32 on) {
  if (!DST_IS_32BIT) return;
  TTI(STALLWAIT, .stall_res = STALL_CFG, .wait_res = WAIT_MATH);
  TTI(SETC16, .setc16_reg = DISABLE_IMPLIED_SRCA_FMT_Base_WORD, .setc16_value = on);
}

// Brings the results to their place after the last tile.
GUEST_INLINE void ReduceFinish(enum pool pool, enum reduce_extent extent) {
  if (extent == REDUCE_COLUMNS) return;
  ReduceMovesAreTf32(1);
  if (extent == REDUCE_ROWS) {
    TRANSPOSE_DST_ROW(0);
    DST_COLUMN(0);
    TRANSPOSE_DST_ROW(POOL_LOWER_FACES);
    DST_COLUMN(POOL_LOWER_FACES);
    ReduceMovesAreTf32(0);
    TTI(SETRWC, .clear_ab_vld = CLEAR_AB, .bit_mask = RWC_ALL);
  }
  if (extent == REDUCE_ALL) {
    // The sixteen columns' results become a column of SrcA, which is pooled in its turn.
    TRANSPOSE_DST_ROW(POOL_SCRATCH_ROW);
    TTI(MOVB2A, .srca = 0, .instr_mod = MOVB2A_4_ROWS, .srcb = SRCB_SCRATCH);
    TTI(MOVB2A, .srca = 4, .instr_mod = MOVB2A_4_ROWS, .srcb = SRCB_SCRATCH + 4);
    TTI(MOVB2A, .srca = 8, .instr_mod = MOVB2A_4_ROWS, .srcb = SRCB_SCRATCH + 8);
    TTI(MOVB2A, .srca = 12, .instr_mod = MOVB2A_4_ROWS, .srcb = SRCB_SCRATCH + 12);
    ReduceMovesAreTf32(0);
    TTI(GATESRCRST, .reset_srca_gate_control = 1, .reset_srcb_gate_control = 1);
    TTI(ZEROACC, .clear_mode = 0, .use_32_bit_mode = DST_IS_32BIT, .addr_mode = 0,
        .where = POOL_SCRATCH_ROW);
    POOL_FACE(pool, 0, CLEAR_AB);
  }
}
