// The core of the unpack thread puts the second result into the register from which the first is
// still to be stored: its stores to registers of the thread do not wait for what it has pushed.
#include "launch.h"
#include "tensix.h"

enum { FLAG = 0x90000, GPR_ADDRESS = 4, GPR_OFFSET = 5, GPR_VALUE = 6, GO = 3 };

#if GUEST_CORE == CORE_BRISC
static void Await(void) {
  while (Read32(FLAG) != 11) InvalidateL1Cache();
}
KERNEL(Await)
#elif GUEST_CORE == CORE_TRISC0
static void SetGpr(u32 gpr, u32 value) {
  Write32(TENSIX_GPR_BASE + 4 * gpr, value);
  ReadBack(TENSIX_GPR_BASE + 4 * gpr);
}
static void Store(void) {
  TTI(STOREIND, .mem_hier_sel = 1, .size_sel = 0, .reg_size_sel = 1, .addr_reg_index = GPR_ADDRESS,
      .offset_index = 2 * GPR_OFFSET, .data_reg_index = GPR_VALUE, .auto_inc_spec = 3);
}
static void Tell(void) {
  SetGpr(GPR_ADDRESS, FLAG / 16);
  SetGpr(GPR_OFFSET, 0);
  SetGpr(GPR_VALUE, 11);
  TTI(SEMWAIT, .stall_res = 0x1FF, .sem_sel = 1 << GO, .wait_sem_cond = SEMWAIT_ON_ZERO);
  Store();
#ifdef MENDED
  TensixSync();
#endif
  SetGpr(GPR_VALUE, 22);  // HERE
  Store();
}
KERNEL(Tell)
#else
static void Go(void) {
  TTI(SEMINIT, .max_value = 1, .init_value = 0, .sem_sel = 1 << GO);
  for (volatile u32 i = 0; i < 400; ++i) continue;
  TTI(SEMPOST, .sem_sel = 1 << GO);
}
KERNEL(Go)
#endif
