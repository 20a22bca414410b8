// TRISC1: the matrix unit on tiles: products, element-wise operations, pooling. Results go to
// tile 0 of the current half of Dst.
//
// After tt-llk's llk_math_matmul.h, llk_math_eltwise_binary.h and llk_math_reduce.h for Blackhole.
#pragma once
#include "tile_math.h"

// Parts of the words of an address mode: CR counts from the remembered value, CLEAR goes to zero.
enum {
  SRCA_CR = 1 << ADDR_MOD_AB_SEC0_SrcACR_LOW,
  SRCA_CLEAR = 1 << ADDR_MOD_AB_SEC0_SrcAClear_LOW,
  SRCB_ONE = 1 << ADDR_MOD_AB_SEC0_SrcBIncr_LOW,
  SRCB_CR = 1 << ADDR_MOD_AB_SEC0_SrcBCR_LOW,
  SRCB_CLEAR = 1 << ADDR_MOD_AB_SEC0_SrcBClear_LOW,
  DST_CR = 1 << ADDR_MOD_DST_SEC0_DestCR_LOW,
  DST_CLEAR = 1 << ADDR_MOD_DST_SEC0_DestClear_LOW,
  DST_C_TO_CR = 1 << ADDR_MOD_DST_SEC0_DestCToCR_LOW,
  PHASE_NEXT = 1 << ADDR_MOD_DST_SEC0_FidelityIncr_LOW,
  PHASE_CLEAR = 1 << ADDR_MOD_DST_SEC0_FidelityClear_LOW
};

// What SETRWC names: which counters it sets, which sources it releases.
enum {
  RWC_A = 1,
  RWC_B = 2,
  RWC_D = 4,
  RWC_PHASE = 8,
  RWC_ALL = 15,
  CLEAR_A = 1,
  CLEAR_B = 2,
  CLEAR_AB = 3
};

enum { REPLAY_START = 16, TILE_MVMULS = 16 };

// Tile products: SrcB (in0) times SrcA (in1), added to Dst. Fidelity phases: 1 for LoFi, 2, 3, 4.
// An MVMUL takes 8 rows of SrcB and a face of SrcA; with faces numbered as in the tile the order is
// B0A0 B0A1 B2A0 B2A1 (into all four faces), then B1A2 B1A3 B3A2 B3A3 (added to the same).
GUEST_INLINE void MatmulInit(u32 phases) {
  SET_ADDR_MOD(1, 16 | SRCB_CR, 8);
  SET_ADDR_MOD(0, 8 * SRCB_ONE, 8);
  SET_ADDR_MOD(2, SRCA_CR | 32 * SRCB_ONE | SRCB_CR, 8);
  SET_ADDR_MOD(4, 32 | SRCA_CR | 48 * SRCB_ONE | SRCB_CR, DST_CR);
  if (phases > 1) {
    SET_ADDR_MOD(5, SRCA_CLEAR | SRCA_CR | SRCB_CLEAR | SRCB_CR, DST_CLEAR | DST_CR | PHASE_NEXT);
  } else {
    SET_ADDR_MOD(5, SRCA_CLEAR | SRCA_CR | SRCB_CLEAR | SRCB_CR, DST_CLEAR | DST_CR);
  }
  ReplayRecord(REPLAY_START, TILE_MVMULS);
  TTI(MVMUL, .addr_mode = 0);
  TTI(MVMUL, .addr_mode = 1);
  TTI(MVMUL, .addr_mode = 0);
  TTI(MVMUL, .addr_mode = 2);
  TTI(MVMUL, .addr_mode = 0);
  TTI(MVMUL, .addr_mode = 1);
  TTI(MVMUL, .addr_mode = 0);
  TTI(MVMUL, .addr_mode = 4);
  TTI(MVMUL, .addr_mode = 0);
  TTI(MVMUL, .addr_mode = 1);
  TTI(MVMUL, .addr_mode = 0);
  TTI(MVMUL, .addr_mode = 2);
  TTI(MVMUL, .addr_mode = 0);
  TTI(MVMUL, .addr_mode = 1);
  TTI(MVMUL, .addr_mode = 0);
  TTI(MVMUL, .addr_mode = 5);
  ReplayRecorded();
  const u32 product = OP(REPLAY, .start_idx = REPLAY_START, .len = TILE_MVMULS);
  ConfigureMop((struct mop){.outer = 1,
                            .inner = phases,
                            .start = OP(NOP),
                            .end = OP(SETRWC, .clear_ab_vld = CLEAR_AB, .bit_mask = RWC_ALL),
                            .loop = product,
                            .last_inner = product,
                            .last_outer = product});
}

// Which part of SrcB's tile goes with SrcA's: all of it, its first column, first row, first datum.
enum { BROADCAST_NONE = 0, BROADCAST_COLUMN = 1, BROADCAST_ROW = 2, BROADCAST_DATUM = 3 };

// Element-wise, SrcA op SrcB, a face a MOP: each phase does eight rows with `first` and eight with
// `last_of_phase`, which rewinds; the last phase ends with `last_of_face`, which releases sources.
GUEST_INLINE void BinaryMop(u32 first, u32 last_of_phase, u32 last_of_face, u32 phases,
                            u32 broadcast) {
  if (broadcast >= BROADCAST_ROW) {
    SET_ADDR_MOD(0, 8, 8);
  } else {
    SET_ADDR_MOD(0, 8 | 8 * SRCB_ONE, 8);
  }
  SET_ADDR_MOD(2, SRCA_CLEAR | SRCB_CLEAR, DST_CR | PHASE_NEXT);
  SET_ADDR_MOD(3, SRCA_CLEAR | SRCB_CLEAR, 8 | DST_C_TO_CR | PHASE_CLEAR);
  ConfigureMop((struct mop){.outer = phases,
                            .inner = 2,
                            .start = OP(NOP),
                            .end = OP(NOP),
                            .loop = first,
                            .last_inner = last_of_phase,
                            .last_outer = last_of_face});
}

// A column of SrcB serves the two faces of a row.
#define BINARY_INIT(name, phases, broadcast)                                          \
  BinaryMop(OP(name, .addr_mode = 0, .instr_mod19 = (broadcast)),                     \
            OP(name, .addr_mode = 2, .instr_mod19 = (broadcast)),                     \
            OP(name, .addr_mode = 3, .instr_mod19 = (broadcast),                      \
               .clear_dvalid = (broadcast) == BROADCAST_COLUMN ? CLEAR_A : CLEAR_AB), \
            (phases), (broadcast))

// The four faces of a pair of tiles, unpacked in the way that fits the broadcast.
GUEST_INLINE void BinaryTile(u32 broadcast) {
  for (u32 face = 0; face < TILE_FACES; ++face) {
    TTI(MOP, .mop_type = 1);
    if (broadcast == BROADCAST_COLUMN && face % 2 == 1) TTI(SETRWC, .clear_ab_vld = CLEAR_B);
  }
  TTI(SETRWC, .bit_mask = RWC_ALL);
}
