// Thread 1 stores by one MOP and posts by another. Broken, nothing drains the vector unit between
// them (ORDERING.md, row 16).
#include "races.h"
#include "tensix.h"

enum { SEMAPHORE = 2, STALL_ALL = STALL_SFPU | STALL_SYNC };

#if GUEST_CORE == CORE_TRISC1
static void Template(u32 word) {
  Write32(TENSIX_PC_BUF + 8, 0);
  ReadBack(TENSIX_PC_BUF + 8);
  const u32 nop = OP(NOP);
  const u32 words[9] = {1, 1, nop, nop, nop, word, nop, word, word};
#pragma GCC unroll 9
  for (u32 i = 0; i < 9; ++i) Write32(MOP_CONFIG_BASE + 4 * i, words[i]);
}
static void StoreAndPost(void) {
  Template(OP(SFPSTORE, .sfpu_addr_mode = 7));
  TTI(MOP, .mop_type = 1);
  if (MENDED) TTI(STALLWAIT, .stall_res = STALL_SYNC, .wait_res = WAIT_SFPU);
  Template(OP(SEMPOST, .sem_sel = 1 << SEMAPHORE));
  TTI(MOP, .mop_type = 1);
  TensixSync();
  Report(0x600D0056);
}
KERNEL(StoreAndPost)
#else
static void WaitAndLoad(void) {
  TTI(SEMWAIT, .stall_res = STALL_ALL, .sem_sel = 1 << SEMAPHORE, .wait_sem_cond = SEMWAIT_ON_ZERO);
  TTI(SFPLOAD, .sfpu_addr_mode = 7);
  TensixSync();
}
KERNEL(WaitAndLoad)
#endif
