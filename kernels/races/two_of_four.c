// Four cores each set a bit of one word when they are done. Broken, BRISC goes on when one of two
// bits is set (ORDERING.md, row 66).
#include "atomics.h"
#include "races.h"

enum { DONE = 0, SLOTS = 0x40, ALL = 0x1E, SOME = 0x18 };

static void Work(void) {
  if (GUEST_CORE != CORE_BRISC) {
    Write32(ScratchAddress(SLOTS) + 4 * GUEST_CORE, GUEST_CORE);
    AtomicOr(ScratchAddress(DONE), 1u << GUEST_CORE);
    return;
  }
  if (MENDED) {
    while ((Read32(ScratchAddress(DONE)) & ALL) != ALL) Fence();
  } else {
    while ((Read32(ScratchAddress(DONE)) & SOME) == 0) Fence();
  }
  for (u32 core = 1; core < 5; ++core) ReadBack(ScratchAddress(SLOTS) + 4 * core);
  Report(0x600D0055);
}
KERNEL(Work)
