// BRISC fills a page and says so in a word under a lock; NCRISC looks at the word under the same
// lock until it is set, and reads the page without. Broken, NCRISC takes the lock and looks at
// nothing: that it was second to the lock is luck (ORDERING.md, row 66).
#include "atomics.h"
#include "races.h"

enum { LOCK = 0, READY = 0x40, PAGE = 0x80 };

static void Lock(u32 lock) {
  while (AtomicSwap(lock, 1) != 0) {
  }
}

static void HandOver(void) {
  if (GUEST_CORE == CORE_BRISC) {
    Write32(ScratchAddress(PAGE), 7);
    Lock(ScratchAddress(LOCK));
    Write32(ScratchAddress(READY), 1);
    Write32(ScratchAddress(LOCK), 0);
    return;
  }
  u32 ready;
  do {
    Lock(ScratchAddress(LOCK));
    ready = Read32(ScratchAddress(READY));
    Write32(ScratchAddress(LOCK), 0);
  } while (MENDED && !ready);
  ReadBack(ScratchAddress(PAGE));
  Report(0x600D0058);
}
KERNEL(HandOver)
