// Blocks Tensix thread 1 with a SEMWAIT on a semaphore that stays 0, then pushes to it until its
// instruction FIFO is full.
#include "launch.h"
#include "tensix.h"

enum { THREAD1_INSTRN_BUF = TENSIX_INSTRN_BUF + 0x10000, SEM_NEVER_POSTED = 3, PUSHES = 100 };

static void FillFifo(void) {
  Write32(THREAD1_INSTRN_BUF, OP(SEMWAIT, .stall_res = 0x1FF, .sem_sel = 1 << SEM_NEVER_POSTED,
                                 .wait_sem_cond = SEMWAIT_ON_ZERO));
  for (u32 i = 0; i < PUSHES; ++i) Write32(THREAD1_INSTRN_BUF, OP(SFPNOP));
}

KERNEL(FillFifo)
