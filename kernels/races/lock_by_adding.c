// Three cores count in a word under a lock that is taken by adding 1 and finding 0; who finds more
// takes it back. Broken, TRISC0 once lets go before it stores (ORDERING.md, row 66).
#include "atomics.h"
#include "races.h"

enum { LOCK = 0, DATA = 0x40, ROUNDS = 4 };

static void Count(void) {
  const u32 lock = ScratchAddress(LOCK), data = ScratchAddress(DATA);
  for (u32 round = 0; round < ROUNDS; ++round) {
    const u32 early = !MENDED && GUEST_CORE == CORE_TRISC0 && round == 1;
    while (AtomicAdd(lock, 1) != 0) {
      AtomicAdd(lock, -1);
      // Each core waits for another time, or they could keep the lock from each other for ever.
      for (u32 i = 0; i < 40 + 37 * GUEST_CORE; ++i) __asm__ volatile("nop");
    }
    const u32 value = Read32(data) + 1;
    if (early) AtomicAdd(lock, -1);
    Write32(data, value);
    if (!early) AtomicAdd(lock, -1);
  }
  Report(0x600D005E);
}
KERNEL(Count)
