// Three cores count in two words under a spin lock, which is looked at before it is swapped and
// lies behind functions. Broken, NCRISC once lets go before the second word (ORDERING.md, row 66).
#include "atomics.h"
#include "races.h"

enum { LOCK = 0, DATA = 0x40, ROUNDS = 4, RACY = 2 };

static __attribute__((noinline)) void Lock(u32 lock) {
  do {
    while (Read32(lock) != 0) Fence();
  } while (AtomicSwap(lock, 1) != 0);
}
static __attribute__((noinline)) void Unlock(u32 lock) {
  Write32(lock, 0);
}
static __attribute__((noinline)) void Increase(u32 address) {
  Write32(address, Read32(address) + 1);
}

static void Count(void) {
  for (u32 round = 0; round < ROUNDS; ++round) {
    const u32 early = !MENDED && GUEST_CORE == CORE_NCRISC && round == RACY;
    Lock(ScratchAddress(LOCK));
    Increase(ScratchAddress(DATA));
    if (!early) Increase(ScratchAddress(DATA + 4));
    Unlock(ScratchAddress(LOCK));
    if (early) Increase(ScratchAddress(DATA + 4));
  }
  Report(0x600D004E);
}
KERNEL(Count)
