// TRISC0 posts a semaphore more often than it can hold while TRISC1 takes: the sixteenth post is
// lost (ORDERING.md, row 17).
#include "races.h"
#include "tensix.h"

enum { SEMAPHORE = 3, POSTS = 24 };

#if GUEST_CORE == CORE_TRISC0
static void Post(void) {
  TTI(SEMINIT, .sem_sel = 1 << SEMAPHORE, .max_value = 15, .init_value = 0);
  for (u32 i = 0; i < POSTS; ++i) {
    if (MENDED) {
      TTI(SEMWAIT, .stall_res = STALL_SYNC, .sem_sel = 1 << SEMAPHORE,
          .wait_sem_cond = SEMWAIT_ON_MAX);
      TTI(SEMPOST, .sem_sel = 1 << SEMAPHORE);
    } else {
      TTI(SEMPOST, .sem_sel = 1 << SEMAPHORE);
    }
  }
  TensixSync();
  Report(0x600D0015);
}
KERNEL(Post)
#else
static void Take(void) {
  for (u32 i = 0; i < (MENDED ? POSTS : POSTS / 2); ++i) {
    TTI(SEMWAIT, .stall_res = STALL_SYNC, .sem_sel = 1 << SEMAPHORE,
        .wait_sem_cond = SEMWAIT_ON_ZERO);
    TTI(SEMGET, .sem_sel = 1 << SEMAPHORE);
  }
  TensixSync();
}
KERNEL(Take)
#endif
