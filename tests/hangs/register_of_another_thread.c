// The unpack thread stores a flag from a register that the math thread has set: each thread has
// registers of its own.
#include "launch.h"
#include "tensix.h"

enum { FLAG = 0x90000, GPR_ADDRESS = 4, GPR_OFFSET = 5, GPR_VALUE = 6 };

#define SET(gpr, value)                                                                      \
  TTI(SETDMAREG, .reg_index_16b = 2 * (gpr), .payload_sig_sel = (value) & 0x3FFF,            \
      .payload_sig_sel_size = ((value) >> 14) & 3);                                          \
  TTI(SETDMAREG, .reg_index_16b = 2 * (gpr) + 1, .payload_sig_sel = (value) >> 16 & 0x3FFF)

#if GUEST_CORE == CORE_BRISC
static void Await(void) {
  while (Read32(FLAG) != 7) InvalidateL1Cache();
}
KERNEL(Await)
#elif GUEST_CORE == CORE_TRISC0
static void Tell(void) {
  SET(GPR_ADDRESS, FLAG / 16);
  SET(GPR_OFFSET, 0);
#ifdef MENDED
  SET(GPR_VALUE, 7);
#endif
  TTI(STALLWAIT, .stall_res = STALL_THCON, .wait_res = WAIT_THCON);
  TTI(STOREIND, .mem_hier_sel = 1, .reg_size_sel = 1, .offset_index = 2 * GPR_OFFSET,  // HERE
      .addr_reg_index = GPR_ADDRESS, .data_reg_index = GPR_VALUE);
}
KERNEL(Tell)
#else
static void Set(void) {
  SET(GPR_VALUE, 7);
}
KERNEL(Set)
#endif
