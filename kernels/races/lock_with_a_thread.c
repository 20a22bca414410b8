// BRISC and thread 0 of the coprocessor change a word of L1 under a lock: BRISC takes it by a swap,
// the thread by ATCAS. (Two threads cannot: who waits by ATCAS keeps the scalar unit from the
// other.) Broken, BRISC lets go before it stores (ORDERING.md, row 66).
#include "atomics.h"
#include "races.h"
#include "tensix.h"

enum { ROUNDS = 3, LOCK = 0, DATA = 0x40 };

#if GUEST_CORE == CORE_BRISC
static void Change(void) {
  for (u32 round = 0; round < ROUNDS; ++round) {
    while (AtomicSwap(ScratchAddress(LOCK), 1) != 0) {
    }
    const u32 value = ReadBack(ScratchAddress(DATA)) + 1;
    if (MENDED) Write32(ScratchAddress(DATA), value);
    Write32(ScratchAddress(LOCK), 0);
    if (!MENDED) Write32(ScratchAddress(DATA), value);
  }
  Report(0x600D0057);
}
KERNEL(Change)
#else
enum { GPR_LOCK = 20, GPR_DATA = 21, GPR_OFFSET = 22, GPR_VALUE = 23, GPR_ONE = 24 };

static void SetGpr(u32 gpr, u32 value) {
  TT(SETDMAREG, .reg_index_16b = 2 * gpr, .payload_sig_sel = value & 0x3FFF,
     .payload_sig_sel_size = value >> 14 & 3);
  TT(SETDMAREG, .reg_index_16b = 2 * gpr + 1, .payload_sig_sel = value >> 16);
}
static void Change(void) {
  SetGpr(GPR_LOCK, ScratchAddress(LOCK) >> 4);
  SetGpr(GPR_DATA, ScratchAddress(DATA) >> 4);
  SetGpr(GPR_OFFSET, 0);
  SetGpr(GPR_ONE, 1);
  for (u32 round = 0; round < ROUNDS; ++round) {
    TTI(ATCAS, .addr_reg_index = GPR_LOCK, .cmp_val = 0, .swap_val = 1, .mem_hier_sel = 1);
    TTI(LOADIND, .size_sel = 1, .offset_index = 2 * GPR_OFFSET, .data_reg_index = GPR_VALUE,
        .addr_reg_index = GPR_DATA);
    TTI(STALLWAIT, .stall_res = STALL_THCON, .wait_res = WAIT_THCON);
    TTI(ADDDMAREG, .op_a_reg_index = GPR_VALUE, .op_b_reg_index = GPR_ONE,
        .result_reg_index = GPR_VALUE);
    TTI(STALLWAIT, .stall_res = STALL_THCON, .wait_res = WAIT_THCON);
    TTI(STOREIND, .mem_hier_sel = 1, .size_sel = 1, .offset_index = 2 * GPR_OFFSET,
        .data_reg_index = GPR_VALUE, .addr_reg_index = GPR_DATA);
    TTI(ATCAS, .addr_reg_index = GPR_LOCK, .cmp_val = 1, .swap_val = 0, .mem_hier_sel = 1);
  }
  TensixSync();
}
KERNEL(Change)
#endif
