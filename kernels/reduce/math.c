// TRISC1: pools faces of SrcA. Arguments: number of output tiles, input tiles of each. POOL: GAPOOL
// (sums) or GMPOOL (largest); REDUCE_COLUMNS, REDUCE_ROWS or REDUCE_ALL. Results are the first row,
// the first column or the first datum of the tile; the rest of it means nothing.
//
// After tt-llk's llk_math_reduce.h for Blackhole.
#include "launch.h"
#include "tile_fpu.h"

#define POOL_FACE(row, release) POOL_FACE_BY(POOL, row, release)
#define POOL_FACE_BY(name, row, release) \
  TTI(name, .dst = (row), .pool_addr_mode = 0, .instr_mod19 = 1, .clear_dvalid = (release))

enum { FACE_ROW = 16, LOWER_FACES = 32, SCRATCH_ROW = 4, SRCB_SCRATCH = 16 };
enum { MOVB2D_4_ROWS = 4, MOVD2B_1_ROW = 0, MOVB2A_4_ROWS = 2 };

// A row of Dst becomes a column of SrcB's rows 16 to 31, the ones that TRNSPSRCB works on.
#define TRANSPOSE_DST_ROW(row)                                               \
  TTI(MOVD2B, .dst = (row), .instr_mod = MOVD2B_1_ROW, .src = SRCB_SCRATCH); \
  TTI(TRNSPSRCB)

#ifdef REDUCE_COLUMNS
static void PoolTile(u32 is_last) {
  (void)is_last;
  POOL_FACE(0, CLEAR_AB);
  POOL_FACE(FACE_ROW, CLEAR_AB);
  POOL_FACE(0, CLEAR_AB);
  POOL_FACE(FACE_ROW, CLEAR_AB);
}

static void Finish(void) {}
#endif

#ifdef REDUCE_ROWS
// The last pair of banks is kept: its SrcB serves to transpose the sums.
static void PoolTile(u32 is_last) {
  POOL_FACE(0, CLEAR_AB);
  POOL_FACE(0, CLEAR_AB);
  POOL_FACE(LOWER_FACES, CLEAR_AB);
  if (is_last) {
    POOL_FACE(LOWER_FACES, 0);
  } else {
    POOL_FACE(LOWER_FACES, CLEAR_AB);
  }
}

#define DST_COLUMN(row)                                                                      \
  TTI(MOVB2D, .dst = (row), .movb2d_instr_mod = MOVB2D_4_ROWS, .src = SRCB_SCRATCH);         \
  TTI(MOVB2D, .dst = (row) + 4, .movb2d_instr_mod = MOVB2D_4_ROWS, .src = SRCB_SCRATCH + 4); \
  TTI(MOVB2D, .dst = (row) + 8, .movb2d_instr_mod = MOVB2D_4_ROWS, .src = SRCB_SCRATCH + 8); \
  TTI(MOVB2D, .dst = (row) + 12, .movb2d_instr_mod = MOVB2D_4_ROWS, .src = SRCB_SCRATCH + 12)

static void Finish(void) {
  TRANSPOSE_DST_ROW(0);
  DST_COLUMN(0);
  TRANSPOSE_DST_ROW(LOWER_FACES);
  DST_COLUMN(LOWER_FACES);
  TTI(SETRWC, .clear_ab_vld = CLEAR_AB, .bit_mask = RWC_ALL);
}
#endif

#ifdef REDUCE_ALL
static void PoolTile(u32 is_last) {
  POOL_FACE(SCRATCH_ROW, CLEAR_AB);
  POOL_FACE(SCRATCH_ROW, CLEAR_AB);
  POOL_FACE(SCRATCH_ROW, CLEAR_AB);
  if (is_last) {
    POOL_FACE(SCRATCH_ROW, 0);
  } else {
    POOL_FACE(SCRATCH_ROW, CLEAR_AB);
  }
}

// The sixteen columns' results become a column of SrcA, which is pooled in its turn.
static void Finish(void) {
  TRANSPOSE_DST_ROW(SCRATCH_ROW);
  TTI(MOVB2A, .srca = 0, .instr_mod = MOVB2A_4_ROWS, .srcb = SRCB_SCRATCH);
  TTI(MOVB2A, .srca = 4, .instr_mod = MOVB2A_4_ROWS, .srcb = SRCB_SCRATCH + 4);
  TTI(MOVB2A, .srca = 8, .instr_mod = MOVB2A_4_ROWS, .srcb = SRCB_SCRATCH + 8);
  TTI(MOVB2A, .srca = 12, .instr_mod = MOVB2A_4_ROWS, .srcb = SRCB_SCRATCH + 12);
  TTI(GATESRCRST, .reset_srca_gate_control = 1, .reset_srcb_gate_control = 1);
  TTI(ZEROACC, .clear_mode = 0, .addr_mode = 0, .where = SCRATCH_ROW);
  POOL_FACE(0, CLEAR_AB);
}
#endif

static void Reduce(void) {
  const u32 inputs = Arg(1);
  MathStart();
  SET_ADDR_MOD(0, 0, 0);
  for (u32 tiles = Arg(0); tiles != 0; --tiles) {
    MathAcquireDst();
    for (u32 input = 1; input <= inputs; ++input) PoolTile(input == inputs);
    Finish();
    MathReleaseDst();
  }
}

KERNEL(Reduce)
