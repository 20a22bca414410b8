// BRISC fills the FIFO of a thread that waits for a semaphore.
#include "launch.h"
#include "tensix.h"

enum { THREAD1 = TENSIX_INSTRN_BUF + 0x10000 };

static void Push(void) {
#ifdef MENDED
  Write32(THREAD1, OP(SEMPOST, .sem_sel = 1 << 3));
#endif
  Write32(THREAD1, OP(SEMWAIT, .stall_res = 0x1FF, .sem_sel = 1 << 3,
                      .wait_sem_cond = SEMWAIT_ON_ZERO));
  for (u32 i = 0; i < 100; ++i) Write32(THREAD1, OP(SFPNOP));
}
KERNEL(Push)
