// TRISC0 stores a word and posts a semaphore of the coprocessor through its window; TRISC1 polls
// the semaphore and loads the word. The window is another region of memory (ORDERING.md, row 3).
#include "races.h"
#include "tensix.h"

enum { SEMAPHORE = 5 };

#if GUEST_CORE == CORE_TRISC0
static void StoreAndPost(void) {
  Write32(ScratchAddress(0), 0x600D003C);
  if (MENDED) ReadBack(ScratchAddress(0));
  SemaphorePost(SEMAPHORE);
}
KERNEL(StoreAndPost)
#else
static void WaitAndLoad(void) {
  while (SemaphoreRead(SEMAPHORE) == 0) {
  }
  Report(ReadBack(ScratchAddress(0)));
}
KERNEL(WaitAndLoad)
#endif
